"""What is under the ground: caves, ravines, pools, ores and bedrock."""
