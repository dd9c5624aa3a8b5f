// Numbers and times for reading.

// As the report and the commands write it: 1.2k, not 1.20k.
export function count(number) {
  if (number === null || number === undefined) return "-";
  if (number < 1000) return String(Math.round(number));
  const short = (value) => Number(value.toPrecision(3));
  return number < 999500 ? `${short(number / 1000)}k` : `${short(number / 1e6)}M`;
}

export function rate(value) {
  return value === null || value === undefined ? "-" : value.toFixed(2);
}

export function duration(seconds) {
  if (seconds === null || seconds === undefined) return "-";
  if (seconds < 1) return `${Math.round(seconds * 1000)} ms`;
  if (seconds < 60) return `${seconds.toFixed(1)} s`;
  const whole = Math.round(seconds);
  if (whole < 3600) return `${Math.floor(whole / 60)} min ${String(whole % 60).padStart(2, "0")} s`;
  return `${Math.floor(whole / 3600)} h ${String(Math.floor((whole % 3600) / 60)).padStart(2, "0")} min`;
}

export function bytes(value) {
  if (!value) return "-";
  if (value >= 2 ** 30) return `${(value / 2 ** 30).toFixed(1)} GiB`;
  if (value < 2 ** 20) return `${Math.ceil(value / 2 ** 10)} KiB`;
  return `${Math.round(value / 2 ** 20)} MiB`;
}

export function moment(seconds) {
  return new Date(seconds * 1000).toLocaleString(undefined, {
    month: "short", day: "numeric", hour: "2-digit", minute: "2-digit", second: "2-digit", hour12: false,
  });
}

export function clock(seconds) {
  return new Date(seconds * 1000).toLocaleTimeString(undefined, { hour12: false });
}

export function age(seconds) {
  const passed = Math.max(Date.now() / 1000 - seconds, 0);
  for (const [unit, length] of [["d", 86400], ["h", 3600], ["min", 60]]) {
    if (passed >= length) return `${Math.round(passed / length)} ${unit} ago`;
  }
  return `${Math.round(passed)} s ago`;
}

export function plural(number, word) {
  return `${number} ${word}${number === 1 ? "" : "s"}`;
}

export function signed(number) {
  return number > 0 ? `+${number}` : String(number);
}
