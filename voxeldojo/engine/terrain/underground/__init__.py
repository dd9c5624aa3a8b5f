"""Underground: caves, ravines, pools, ores and bedrock."""
