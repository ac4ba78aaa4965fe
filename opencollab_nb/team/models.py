"""Who plays a role: the models that code gives, and the names that a team file may give."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from opencollab_nb.errors import UsageProblem
from opencollab_nb.secrecy import keep_key_of
from opencollab_nb.session.opening import check_model


def model_for(models: Any, role: str, named: str | None = None) -> Any:
    """The model of a role: the one for all, that of a mapping, or what a function of the role's name gives.

    A team file names models and never says where they are. So a mapping may have keys of both kinds: the
    role's own comes first, then the name of the model that the file gives it. One model for all plays every
    role, whatever the file names.

    Args:
        models: what was given as `model=`.
        role: the role's name.
        named: the model's name in the team file; None where it names none.

    Raises:
        UsageProblem: none was given for it, or what was given cannot be asked.

    >>> from opencollab_nb.models.scripted import ScriptedModel
    >>> small, large = ScriptedModel([], name="small"), ScriptedModel([], name="large")
    >>> models = {"lead": large, "cheap": small}
    >>> model_for(models, "lead", "cheap").name, model_for(models, "coder", "cheap").name
    ('large', 'small')
    """
    if models is None:
        raise UsageProblem("this team has no model: give model=, for all or by role")
    model = models
    if isinstance(models, Mapping):
        key = next((key for key in (role, named) if key in models), None)
        if key is None:
            asks = "" if named is None else f", nor for {named!r}, which the file names for it"
            raise UsageProblem(f"no model for the role {role!r}{asks}: given are {', '.join(models)}")
        model = models[key]
    elif not callable(getattr(models, "reply", None)) and callable(models):
        model = models(role)
    check_model(model)
    keep_key_of(model)
    return model
