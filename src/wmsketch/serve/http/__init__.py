"""The HTTP side of the service. Only this package needs Starlette."""
