"""Caves, ravines and pools, carved out of a rectangle of finished columns.

Tunnels are the game's (MapGenCaves, MapGenRavine): they begin in one chunk of seven, and a tunnel
is a chain of ellipsoids whose direction drifts and that may fork once. Its start is drawn from its
chunk's hash and it is followed wherever it goes, so that a rectangle has the same holes whatever
its neighbours.
"""

import math

import numpy as np

from voxeldojo.engine.chance import GOLDEN, mixed
from voxeldojo.engine.compiling.kernels import entry_kernel, kernel
from voxeldojo.engine.state import HEIGHT, SEA_LEVEL

AIR, GRASS, DIRT, BEDROCK = 0, 2, 3, 7
FLOWING_WATER, WATER, FLOWING_LAVA, LAVA, MYCELIUM, ICE = 8, 9, 10, 11, 110, 79
CHUNKS = 8  # a tunnel goes no further from its chunk
STEPS = CHUNKS * 16 - 16
LAVA_LEVEL = 10  # what is carved up to here is full of lava
ROOF = 8  # blocks that are left under water
WIDE = 2.5  # radius from which every second ball of a tunnel is enough
WAITING = 64  # tunnels to be followed
BRANCHES = 2  # of a tunnel, for which there has to be room behind the last
TUNNEL = np.dtype(
    [
        ("x", "f8"),
        ("y", "f8"),
        ("z", "f8"),
        ("width", "f8"),
        ("yaw", "f8"),  # radians
        ("pitch", "f8"),
        ("flat", "f8"),  # height / width
        ("bits", "u8"),
        ("step", "i8"),
        ("steps", "i8"),
        ("ravine", "i8"),
    ],
    align=True,
)
POOL = 5.0  # half the length of the longest


@kernel
def chunk_bits(seed, salt, chunk_x, chunk_z):
    """The seed of a chunk's random numbers for one purpose."""
    value = mixed(seed + np.uint64(salt) * GOLDEN)
    value = mixed(value + np.uint64(chunk_x))
    return mixed(value + np.uint64(chunk_z))


@kernel
def fraction(bits):
    """A number in [0, 1) out of mixed bits."""
    return np.float64(bits >> np.uint64(11)) * (1.0 / 9007199254740992.0)


@entry_kernel
def carve(state, rules, w, seed, x0, z0, x1, z1):
    """Caves, ravines and pools in the columns [x0, x1) x [z0, z1) of the window."""
    waiting = np.zeros(WAITING, TUNNEL)
    profile = np.ones(HEIGHT)
    for chunk_x in range((x0 >> 4) - CHUNKS, ((x1 - 1) >> 4) + CHUNKS + 1):
        for chunk_z in range((z0 >> 4) - CHUNKS, ((z1 - 1) >> 4) + CHUNKS + 1):
            count = begin_tunnels(seed, chunk_x, chunk_z, waiting)
            count = begin_ravine(seed, chunk_x, chunk_z, waiting, count)
            while count > 0:
                count = follow(state, w, waiting, count - 1, profile, x0, z0, x1, z1)
    for chunk_x in range((x0 >> 4) - 1, ((x1 - 1) >> 4) + 2):
        for chunk_z in range((z0 >> 4) - 1, ((z1 - 1) >> 4) + 2):
            fill_pool(state, w, seed, chunk_x, chunk_z, x0, z0, x1, z1)


@kernel
def cave_start(seed, chunk_x, chunk_z):
    """The number of tunnel systems that begin in a chunk, and the first one's place: (count, x, y,
    z)."""
    bits = chunk_bits(seed, 101, chunk_x, chunk_z)
    if bits % np.uint64(7) != 0:
        return 0, 0, 0, 0
    bits = mixed(bits)
    count = 1 + np.int64((bits >> np.uint64(40)) % np.uint64(15))
    count = 1 + np.int64((bits >> np.uint64(20)) % np.uint64(count))
    count = np.int64(bits % np.uint64(count))
    bits = mixed(bits)
    x = chunk_x * 16 + np.int64(bits % np.uint64(16))
    z = chunk_z * 16 + np.int64((bits >> np.uint64(4)) % np.uint64(16))
    highest = 8 + np.int64((bits >> np.uint64(8)) % np.uint64(112))
    y = np.int64((bits >> np.uint64(24)) % np.uint64(highest))
    return count, x, y, z


@kernel
def begin_tunnels(seed, chunk_x, chunk_z, waiting):
    """List the tunnels that begin in a chunk, as far as there is room. Returns how many."""
    systems, x, y, z = cave_start(seed, chunk_x, chunk_z)
    most = waiting.shape[0] - BRANCHES
    count = 0
    bits = chunk_bits(seed, 102, chunk_x, chunk_z)
    for _ in range(systems):
        tunnels = 1
        if bits % np.uint64(4) == 0:
            bits = mixed(bits)
            if count < most:
                width = 1.0 + 6.0 * fraction(bits)
                write_tunnel(waiting[count], x, y, z, width, 0.0, 0.0, 0.5, bits, 0)
                waiting[count].step = -1  # a room: one single ellipsoid
                count += 1
            bits = mixed(bits)
            tunnels += np.int64(bits % np.uint64(4))
        for _ in range(tunnels):
            bits = mixed(bits + GOLDEN)
            yaw = fraction(bits) * 2.0 * math.pi
            bits = mixed(bits)
            pitch = (fraction(bits) - 0.5) * 0.25
            bits = mixed(bits)
            width = 2.0 * fraction(bits)
            bits = mixed(bits)
            width += fraction(bits)
            bits = mixed(bits)
            if bits % np.uint64(10) == 0:
                width *= 1.0 + 3.0 * fraction(mixed(bits)) * fraction(mixed(bits + GOLDEN))
            if count < most:
                write_tunnel(waiting[count], x, y, z, width, yaw, pitch, 1.0, bits, 0)
                count += 1
        bits = mixed(bits + GOLDEN)
        x = chunk_x * 16 + np.int64(bits % np.uint64(16))
        z = chunk_z * 16 + np.int64((bits >> np.uint64(4)) % np.uint64(16))
        highest = 8 + np.int64((bits >> np.uint64(8)) % np.uint64(112))
        y = np.int64((bits >> np.uint64(24)) % np.uint64(highest))
        bits = mixed(bits)
    return count


@kernel
def begin_ravine(seed, chunk_x, chunk_z, waiting, count):
    bits = chunk_bits(seed, 103, chunk_x, chunk_z)
    if bits % np.uint64(50) != 0 or count >= waiting.shape[0] - BRANCHES:
        return count
    bits = mixed(bits)
    x = chunk_x * 16 + np.int64(bits % np.uint64(16))
    z = chunk_z * 16 + np.int64((bits >> np.uint64(4)) % np.uint64(16))
    highest = 8 + np.int64((bits >> np.uint64(8)) % np.uint64(40))
    y = 20 + np.int64((bits >> np.uint64(24)) % np.uint64(highest))
    bits = mixed(bits)
    yaw = fraction(bits) * 2.0 * math.pi
    bits = mixed(bits)
    width = 4.0 * fraction(bits) + 2.0 * fraction(mixed(bits + GOLDEN))
    bits = mixed(bits)
    write_tunnel(waiting[count], x, y, z, width, yaw, (fraction(bits) - 0.5) * 0.25, 3.0, bits, 1)
    return count + 1


@kernel
def write_tunnel(tunnel, x, y, z, width, yaw, pitch, flat, bits, ravine):
    tunnel.x = x
    tunnel.y = y
    tunnel.z = z
    tunnel.width = width
    tunnel.yaw = yaw
    tunnel.pitch = pitch
    tunnel.flat = flat
    tunnel.bits = mixed(bits + GOLDEN)
    tunnel.step = 0
    tunnel.steps = STEPS - np.int64(tunnel.bits % np.uint64(STEPS // 4))
    tunnel.ravine = ravine


@kernel
def follow(state, w, waiting, number, profile, x0, z0, x1, z1):
    """Carve the last waiting tunnel, as far as it is in the rectangle. Its branches replace it in
    the list. Returns how many wait now."""
    tunnel = waiting[number]
    x = tunnel.x
    y = tunnel.y
    z = tunnel.z
    yaw = tunnel.yaw
    pitch = tunnel.pitch
    width = tunnel.width
    flat = tunnel.flat
    bits = tunnel.bits
    ravine = tunnel.ravine
    steps = tunnel.steps
    if tunnel.step < 0:
        carve_ellipsoid(state, w, x, y, z, 1.5 + width, (1.5 + width) * flat, x0, z0, x1, z1)
        return number
    split = steps // 4 + np.int64((bits >> np.uint64(20)) % np.uint64(steps // 2))
    steep = (bits >> np.uint64(50)) % np.uint64(6) == 0
    if ravine:
        fill_profile(profile, bits)
    turn = 0.0
    rise = 0.0
    ahead = math.cos(yaw)
    aside = math.sin(yaw)
    for step in range(tunnel.step, steps):
        left = steps - step + width + 18.0
        if x < x0 - left or x > x1 + left or z < z0 - left or z > z1 + left:
            return number
        radius = 1.5 + half_wave(step / steps) * width
        flatly, up = turned(1.0, 0.0, pitch)
        x += ahead * flatly
        y += up
        z += aside * flatly
        pitch *= 0.92 if steep and not ravine else 0.7
        pitch += rise * (0.05 if ravine else 0.1)
        ahead, aside = turned(ahead, aside, turn * (0.05 if ravine else 0.1))
        bits = mixed(bits)
        a = np.float64(bits & np.uint64(1023)) / 1024.0
        b = np.float64((bits >> np.uint64(10)) & np.uint64(1023)) / 1024.0
        c = np.float64((bits >> np.uint64(20)) & np.uint64(1023)) / 1024.0
        d = np.float64((bits >> np.uint64(30)) & np.uint64(1023)) / 1024.0
        e = np.float64((bits >> np.uint64(40)) & np.uint64(1023)) / 1024.0
        f = np.float64((bits >> np.uint64(50)) & np.uint64(1023)) / 1024.0
        rise = rise * (0.8 if ravine else 0.9) + (a - b) * c * 2.0
        turn = turn * (0.5 if ravine else 0.75) + (d - e) * f * 4.0
        if step == split and width > 1.0 and not ravine:
            for side in range(2):
                bits = mixed(bits + GOLDEN)
                branch = waiting[number + side]
                way = math.atan2(aside, ahead) + (0.5 - side) * math.pi
                write_tunnel(
                    branch, x, y, z, 0.5 + 0.5 * fraction(bits), way, pitch / 3.0, 1.0, bits, 0
                )
                branch.step = step
                branch.steps = steps
            return number + 2
        # The game leaves out one in four. Where it is wide, every second one does.
        if bits & np.uint64(3) == 0 or (step & 1 and radius > WIDE):
            continue
        reach = radius + 1.0
        if x < x0 - reach or x > x1 + reach or z < z0 - reach or z > z1 + reach:
            continue
        if ravine:
            carve_slit(state, w, x, y, z, radius, radius * flat, profile, x0, z0, x1, z1)
        else:
            carve_ellipsoid(state, w, x, y, z, radius, radius * flat, x0, z0, x1, z1)
    return number


@kernel
def half_wave(t):
    """sin(pi t) for t in 0 .. 1, right to 0.002 (Bhaskara's)."""
    bow = 4.0 * t * (1.0 - t)
    return 4.0 * bow / (5.0 - bow)


@kernel
def turned(ahead, aside, angle):
    """A direction, turned by 2 atan(angle / 2) rad, which for the angles here is nearly ``angle``:
    without a sine, of which the tunnels would take thousands."""
    t = 0.5 * angle
    scale = 1.0 / (1.0 + t * t)
    cos = (1.0 - t * t) * scale
    sin = 2.0 * t * scale
    return ahead * cos - aside * sin, ahead * sin + aside * cos


@kernel
def fill_profile(profile, bits):
    """A ravine's walls: how much narrower it is at each height."""
    bulge = 1.0
    for y in range(HEIGHT):
        bits = mixed(bits)
        if y == 0 or bits % np.uint64(3) == 0:
            bulge = 1.0 + fraction(bits) * fraction(mixed(bits))
        profile[y] = bulge * bulge


@kernel
def carve_ellipsoid(state, w, x, y, z, radius, height, x0, z0, x1, z1):
    low = max(1, math.floor(y - height))
    high = min(HEIGHT - 8, math.floor(y + height) + 1)
    last = state.blocks.shape[1] - 1
    for i in range(max(x0, math.floor(x - radius)), min(x1, math.floor(x + radius) + 1)):
        dx = (i + 0.5 - x) / radius
        for k in range(max(z0, math.floor(z - radius)), min(z1, math.floor(z + radius) + 1)):
            dz = (k + 0.5 - z) / radius
            flat = dx * dx + dz * dz
            if flat >= 1.0:
                continue
            tall = height * math.sqrt(1.0 - flat)
            top = min(high, roof(state, w, i, k), math.ceil(y + tall - 0.5) - 1)
            floor = max(low, math.floor(y - min(tall, 0.7 * height) - 0.5) + 1)
            column = state.blocks[w, i & last, k & last]
            for j in range(top, floor - 1, -1):
                if column[j] != AIR:
                    dig_out(state, w, i, j, k)


@kernel
def carve_slit(state, w, x, y, z, radius, height, profile, x0, z0, x1, z1):
    low = max(1, math.floor(y - height))
    high = min(HEIGHT - 8, math.floor(y + height) + 1)
    last = state.blocks.shape[1] - 1
    for i in range(max(x0, math.floor(x - radius)), min(x1, math.floor(x + radius) + 1)):
        dx = (i + 0.5 - x) / radius
        for k in range(max(z0, math.floor(z - radius)), min(z1, math.floor(z + radius) + 1)):
            dz = (k + 0.5 - z) / radius
            flat = dx * dx + dz * dz
            if flat >= 1.0:
                continue
            top = min(high, roof(state, w, i, k))
            column = state.blocks[w, i & last, k & last]
            for j in range(top, low - 1, -1):
                if column[j] == AIR:
                    continue
                dy = (j + 0.5 - y) / height
                if flat * profile[j] + dy * dy / 6.0 < 1.0:
                    dig_out(state, w, i, j, k)


@kernel
def roof(state, w, x, z):
    """The highest block of a column that may be carved. Under water and on its shores some ground
    is left, so that water does not stand beside an open cave."""
    last = state.blocks.shape[1] - 1
    ground = np.int64(state.ground[w, x & last, z & last])
    return ground - ROOF if ground <= SEA_LEVEL + 1 else HEIGHT


@kernel
def dig_out(state, w, x, y, z):
    last = state.blocks.shape[1] - 1
    column = state.blocks[w, x & last, z & last]
    block = column[y]
    if block in (AIR, BEDROCK, ICE) or FLOWING_WATER <= block <= LAVA:
        return
    state.meta[w, x & last, z & last, y] = 0
    if y <= LAVA_LEVEL:
        column[y] = LAVA
        return
    column[y] = AIR
    if (block in (GRASS, MYCELIUM)) and column[y - 1] == DIRT:
        column[y - 1] = block


@kernel
def fill_pool(state, w, seed, chunk_x, chunk_z, x0, z0, x1, z1):
    """One chunk in four has a pool of water below the ground, one in eight of lava: the lower
    half of an ellipsoid, with air over it."""
    bits = chunk_bits(seed, 104, chunk_x, chunk_z)
    kind = bits % np.uint64(8)
    if kind > 2:
        return
    fluid = LAVA if kind == 2 else WATER
    bits = mixed(bits)
    x = chunk_x * 16 + 8.0 * fraction(bits) + 4.0
    z = chunk_z * 16 + 8.0 * fraction(mixed(bits + GOLDEN)) + 4.0
    y = 12 + np.int64((bits >> np.uint64(20)) % np.uint64(38))
    long = 2.5 + (POOL - 2.5) * np.float64((bits >> np.uint64(4)) & np.uint64(255)) / 256.0
    wide = 2.5 + (POOL - 2.5) * np.float64((bits >> np.uint64(12)) & np.uint64(255)) / 256.0
    last = state.blocks.shape[1] - 1
    for i in range(max(x0, math.floor(x - long)), min(x1, math.floor(x + long) + 1)):
        dx = (i + 0.5 - x) / long
        for k in range(max(z0, math.floor(z - wide)), min(z1, math.floor(z + wide) + 1)):
            dz = (k + 0.5 - z) / wide
            flat = dx * dx + dz * dz
            if flat >= 1.0 or y + 3 > np.int64(state.ground[w, i & last, k & last]) - ROOF:
                continue
            depth = math.sqrt(1.0 - flat) * 3.0
            column = state.blocks[w, i & last, k & last]
            for j in range(math.floor(y - depth), math.floor(y + depth)):
                if column[j] != BEDROCK:
                    column[j] = fluid if j < y else AIR
                    state.meta[w, i & last, k & last, j] = 0
