"""Where a training's decisions come from: its sessions on one or several env servers, what plays
before it in their resets, rollouts, and the episodes that are played beside it."""
