"""Questions with checked answers: what models are taught with, and shown beside a question."""
