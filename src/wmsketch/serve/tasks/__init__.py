"""What a job does with its rows: one class for each kind of job."""
