from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

if TYPE_CHECKING:
    from ..models.settings_budgets import SettingsBudgets
    from ..models.settings_languages import SettingsLanguages
    from ..models.settings_limits import SettingsLimits
    from ..models.settings_models import SettingsModels
    from ..models.settings_sessions import SettingsSessions


T = TypeVar("T", bound="ProjectSettings")


@_attrs_define
class ProjectSettings:
    """
    Attributes:
        budgets (SettingsBudgets):
        created_at (datetime.datetime):
        created_by (str):
        id (str): What settingsVersionId of a deployment names.
        languages (SettingsLanguages):
        limits (SettingsLimits):
        models (SettingsModels):
        project_id (str):
        sessions (SettingsSessions):
        version (str):
        assisting_agent (str | Unset): Left out: the entry agent of the newest active deployment.
    """

    budgets: SettingsBudgets
    created_at: datetime.datetime
    created_by: str
    id: str
    languages: SettingsLanguages
    limits: SettingsLimits
    models: SettingsModels
    project_id: str
    sessions: SettingsSessions
    version: str
    assisting_agent: str | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        budgets = self.budgets.to_dict()

        created_at = self.created_at.isoformat()

        created_by = self.created_by

        id = self.id

        languages = self.languages.to_dict()

        limits = self.limits.to_dict()

        models = self.models.to_dict()

        project_id = self.project_id

        sessions = self.sessions.to_dict()

        version = self.version

        assisting_agent = self.assisting_agent

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "budgets": budgets,
                "createdAt": created_at,
                "createdBy": created_by,
                "id": id,
                "languages": languages,
                "limits": limits,
                "models": models,
                "projectId": project_id,
                "sessions": sessions,
                "version": version,
            }
        )
        if assisting_agent is not UNSET:
            field_dict["assistingAgent"] = assisting_agent

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.settings_budgets import SettingsBudgets  # noqa: PLC0415
        from ..models.settings_languages import SettingsLanguages  # noqa: PLC0415
        from ..models.settings_limits import SettingsLimits  # noqa: PLC0415
        from ..models.settings_models import SettingsModels  # noqa: PLC0415
        from ..models.settings_sessions import SettingsSessions  # noqa: PLC0415

        d = dict(src_dict)
        budgets = SettingsBudgets.from_dict(d.pop("budgets"))

        created_at = datetime.datetime.fromisoformat(d.pop("createdAt"))

        created_by = d.pop("createdBy")

        id = d.pop("id")

        languages = SettingsLanguages.from_dict(d.pop("languages"))

        limits = SettingsLimits.from_dict(d.pop("limits"))

        models = SettingsModels.from_dict(d.pop("models"))

        project_id = d.pop("projectId")

        sessions = SettingsSessions.from_dict(d.pop("sessions"))

        version = d.pop("version")

        assisting_agent = d.pop("assistingAgent", UNSET)

        project_settings = cls(
            budgets=budgets,
            created_at=created_at,
            created_by=created_by,
            id=id,
            languages=languages,
            limits=limits,
            models=models,
            project_id=project_id,
            sessions=sessions,
            version=version,
            assisting_agent=assisting_agent,
        )

        project_settings.additional_properties = d
        return project_settings

    @property
    def additional_keys(self) -> list[str]:
        return list(self.additional_properties.keys())

    def __getitem__(self, key: str) -> Any:
        return self.additional_properties[key]

    def __setitem__(self, key: str, value: Any) -> None:
        self.additional_properties[key] = value

    def __delitem__(self, key: str) -> None:
        del self.additional_properties[key]

    def __contains__(self, key: str) -> bool:
        return key in self.additional_properties
