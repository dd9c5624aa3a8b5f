"""Services: requests to a node and its replies, on the server's and the client's side."""
