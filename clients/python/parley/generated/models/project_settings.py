from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

if TYPE_CHECKING:
    from ..models.settings_languages import SettingsLanguages
    from ..models.settings_limits import SettingsLimits
    from ..models.settings_models import SettingsModels


T = TypeVar("T", bound="ProjectSettings")


@_attrs_define
class ProjectSettings:
    """
    Attributes:
        created_at (datetime.datetime):
        created_by (str):
        id (str): What settingsVersionId of a deployment names.
        languages (SettingsLanguages):
        limits (SettingsLimits):
        models (SettingsModels):
        project_id (str):
        version (str):
    """

    created_at: datetime.datetime
    created_by: str
    id: str
    languages: SettingsLanguages
    limits: SettingsLimits
    models: SettingsModels
    project_id: str
    version: str
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        created_at = self.created_at.isoformat()

        created_by = self.created_by

        id = self.id

        languages = self.languages.to_dict()

        limits = self.limits.to_dict()

        models = self.models.to_dict()

        project_id = self.project_id

        version = self.version

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "createdAt": created_at,
                "createdBy": created_by,
                "id": id,
                "languages": languages,
                "limits": limits,
                "models": models,
                "projectId": project_id,
                "version": version,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.settings_languages import SettingsLanguages  # noqa: PLC0415
        from ..models.settings_limits import SettingsLimits  # noqa: PLC0415
        from ..models.settings_models import SettingsModels  # noqa: PLC0415

        d = dict(src_dict)
        created_at = datetime.datetime.fromisoformat(d.pop("createdAt"))

        created_by = d.pop("createdBy")

        id = d.pop("id")

        languages = SettingsLanguages.from_dict(d.pop("languages"))

        limits = SettingsLimits.from_dict(d.pop("limits"))

        models = SettingsModels.from_dict(d.pop("models"))

        project_id = d.pop("projectId")

        version = d.pop("version")

        project_settings = cls(
            created_at=created_at,
            created_by=created_by,
            id=id,
            languages=languages,
            limits=limits,
            models=models,
            project_id=project_id,
            version=version,
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
