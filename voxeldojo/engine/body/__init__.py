"""The player's body: how it moves, and what keeps it alive.

`physics.py` is its movement, `living.py` its needs and dangers, `hurt.py` damage to it and
`causes_of_death.py` their names, `effects.py` poison and other timed effects, `experience.py`
experience points, `sleeping.py` beds, and `clock.py` the time of day and the weather.
"""
