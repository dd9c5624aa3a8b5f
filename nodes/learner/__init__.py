"""The learner: trains policies with PPO on training specs, keeps them, and lets them act.

``learner.py`` is the node, ``training.py`` the loop of one training, ``acting.py`` and
``deciding.py`` a trained policy that plays. The parts of a training: ``collecting/`` rollouts,
``optimising/`` the policy, ``ending/`` it in time, ``checkpoints/``. What it begins with is in
``spec_bounds.py``, ``spec_measures.py``, ``training_seed.py`` and ``starting.py``.
"""
