"""Scenes of many contacts that several tests ask about."""

# The cue ball strikes another of the same kind.
TWO_BALLS = """[law]
name = "chatterjee-ruina"
e = 0.5
mu = 0.1
[[body]]
name = "cue"
mass = 0.17
inertia = [4.6e-5, 4.6e-5, 4.6e-5]
velocity = [1, 0, 0]
[[body]]
name = "one"
mass = 0.17
inertia = [4.6e-5, 4.6e-5, 4.6e-5]
position = [0.056, 0, 0]
[[contact]]
bodies = ["cue", "one"]
point = [0.028, 0, 0]
normal = [1, 0, 0]
"""

# An elastic ball that touches two walls: a cycle for ever. With restitution e it comes to rest, having received m v/(1 - e)
# from the first wall and e times that from the second.
BETWEEN_WALLS = """[law]
name = "frictionless"
e = 1
[[body]]
name = "walls"
fixed = true
[[body]]
name = "ball"
shape = "sphere"
radius = 0.5
mass = 1
velocity = [1, 0, 0]
[[contact]]
bodies = ["walls", "ball"]
point = [0.5, 0, 0]
normal = [-1, 0, 0]
[[contact]]
bodies = ["walls", "ball"]
point = [-0.5, 0, 0]
normal = [1, 0, 0]
"""

# A body falls without slip on a point below and beside its centre, W_xx = 2.5 and W_xz = -1.5: sticking takes
# P_t/P_n = 0.6, which static friction allows and sliding friction does not.
STICKING = """[law]
name = "routh"
e = 0.5
mu = 0.2
mu_s = 1.0
[[body]]
name = "floor"
fixed = true
[[body]]
name = "leaning"
mass = 1
inertia = [0.08333333333333333, 0.08333333333333333, 0.08333333333333333]
position = [0.35355339059327373, 0, 0.35355339059327373]
velocity = [0, 0, -1]
[[contact]]
bodies = ["floor", "leaning"]
point = [0, 0, 0]
normal = [0, 0, 1]
"""
