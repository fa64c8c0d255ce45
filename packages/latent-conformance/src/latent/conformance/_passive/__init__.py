"""What is judged without driving an agent: streams, buffered results, histories, recordings, live systems."""
