from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

if TYPE_CHECKING:
    from ..models.export_agent import ExportAgent
    from ..models.export_dependencies import ExportDependencies
    from ..models.export_project import ExportProject
    from ..models.export_tool import ExportTool


T = TypeVar("T", bound="ExportPreviewResult")


@_attrs_define
class ExportPreviewResult:
    """
    Attributes:
        agents (list[ExportAgent]): By name.
        dependencies (ExportDependencies):
        project (ExportProject):
        success (bool):
        tools (list[ExportTool]): By name.
    """

    agents: list[ExportAgent]
    dependencies: ExportDependencies
    project: ExportProject
    success: bool
    tools: list[ExportTool]
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        agents = []
        for agents_item_data in self.agents:
            agents_item = agents_item_data.to_dict()
            agents.append(agents_item)

        dependencies = self.dependencies.to_dict()

        project = self.project.to_dict()

        success = self.success

        tools = []
        for tools_item_data in self.tools:
            tools_item = tools_item_data.to_dict()
            tools.append(tools_item)

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "agents": agents,
                "dependencies": dependencies,
                "project": project,
                "success": success,
                "tools": tools,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.export_agent import ExportAgent  # noqa: PLC0415
        from ..models.export_dependencies import ExportDependencies  # noqa: PLC0415
        from ..models.export_project import ExportProject  # noqa: PLC0415
        from ..models.export_tool import ExportTool  # noqa: PLC0415

        d = dict(src_dict)
        agents = []
        _agents = d.pop("agents")
        for agents_item_data in _agents:
            agents_item = ExportAgent.from_dict(agents_item_data)

            agents.append(agents_item)

        dependencies = ExportDependencies.from_dict(d.pop("dependencies"))

        project = ExportProject.from_dict(d.pop("project"))

        success = d.pop("success")

        tools = []
        _tools = d.pop("tools")
        for tools_item_data in _tools:
            tools_item = ExportTool.from_dict(tools_item_data)

            tools.append(tools_item)

        export_preview_result = cls(
            agents=agents,
            dependencies=dependencies,
            project=project,
            success=success,
            tools=tools,
        )

        export_preview_result.additional_properties = d
        return export_preview_result

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
