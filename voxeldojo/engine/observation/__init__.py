"""What a player, a program or a policy gets to know of a world.

`batch_observation.py` writes the observations of a whole batch into arrays,
`readings_for_programs.py` those of some worlds, and `surroundings.py` reads light, weather and
biome. `minedojo_observation.py` is MineDojo's dictionary of one environment, made of the numbers of
`minedojo_arrays.py`. `view_options.py` checks the options of pictures, voxels and rays.
"""
