"""The kit under pytest: what the plugin, which pytest loads on every start, imports only when it is used."""
