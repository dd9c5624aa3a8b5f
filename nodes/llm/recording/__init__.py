"""Transcripts of questions and answers, and their replay."""
