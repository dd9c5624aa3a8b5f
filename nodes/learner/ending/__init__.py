"""When a training ends: limits of samples, a success rate that still rises, one that fell."""
