"""A stack that works for long, watched for growth: python -m benchmarks.soak"""
