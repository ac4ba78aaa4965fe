"""The embedded default: a program that plays a coding agent by a written plan.

- `plan.py`      what a plan is made of
- `loading.py`   a plan from YAML
- `folders.py`   where the shipped plans lie
- `lint.py`      what keeps "seeing by accident" out of a plan
- `profile.py`   how it behaves where chance decides; the settings lie in `profiles.yaml`
- `reading.py`   what a request shows
- `evidence.py`  what of that counts as seen
- `decide.py`    the decision rules, in order
- `work.py`      how it goes on within a milestone
- `offers.py`    what it does with the tools `read_result` and `todo`, where they are offered
- `model.py`     `SimulatedModel`: request in, reply and usage out
"""

from opencollab_nb.models.simulated.loading import load_plan
from opencollab_nb.models.simulated.model import SimulatedModel
from opencollab_nb.models.simulated.plan import Plan
from opencollab_nb.models.simulated.profile import Profile, profiles

__all__ = ["Plan", "Profile", "SimulatedModel", "load_plan", "profiles"]
