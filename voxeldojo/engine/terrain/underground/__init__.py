"""Underground: caves, ravines and pools (`carve.py`), bedrock, pockets of stone and ores
(`ores.py`)."""
