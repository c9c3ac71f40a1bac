from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..models.change_contact_request_identity_type import (
    ChangeContactRequestIdentityType,
)
from ..models.change_contact_request_type import ChangeContactRequestType
from ..types import UNSET, Unset

if TYPE_CHECKING:
    from ..models.change_contact_request_metadata_type_0 import (
        ChangeContactRequestMetadataType0,
    )


T = TypeVar("T", bound="ChangeContactRequest")


@_attrs_define
class ChangeContactRequest:
    """
    Attributes:
        account_ref (None | str | Unset):
        channel (None | str | Unset):
        company (None | str | Unset):
        department (None | str | Unset):
        display_name (None | str | Unset):
        employee_id (None | str | Unset):
        identity (None | str | Unset):
        identity_type (ChangeContactRequestIdentityType | Unset):
        metadata (ChangeContactRequestMetadataType0 | None | Unset): Replaces what was there: an object of at most 16
            KiB and 5 levels.
        tags (list[str] | None | Unset): Replace what was there.
        type_ (ChangeContactRequestType | Unset):
    """

    account_ref: None | str | Unset = UNSET
    channel: None | str | Unset = UNSET
    company: None | str | Unset = UNSET
    department: None | str | Unset = UNSET
    display_name: None | str | Unset = UNSET
    employee_id: None | str | Unset = UNSET
    identity: None | str | Unset = UNSET
    identity_type: ChangeContactRequestIdentityType | Unset = UNSET
    metadata: ChangeContactRequestMetadataType0 | None | Unset = UNSET
    tags: list[str] | None | Unset = UNSET
    type_: ChangeContactRequestType | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        from ..models.change_contact_request_metadata_type_0 import (
            ChangeContactRequestMetadataType0,  # noqa: PLC0415
        )

        account_ref: None | str | Unset
        if isinstance(self.account_ref, Unset):
            account_ref = UNSET
        else:
            account_ref = self.account_ref

        channel: None | str | Unset
        if isinstance(self.channel, Unset):
            channel = UNSET
        else:
            channel = self.channel

        company: None | str | Unset
        if isinstance(self.company, Unset):
            company = UNSET
        else:
            company = self.company

        department: None | str | Unset
        if isinstance(self.department, Unset):
            department = UNSET
        else:
            department = self.department

        display_name: None | str | Unset
        if isinstance(self.display_name, Unset):
            display_name = UNSET
        else:
            display_name = self.display_name

        employee_id: None | str | Unset
        if isinstance(self.employee_id, Unset):
            employee_id = UNSET
        else:
            employee_id = self.employee_id

        identity: None | str | Unset
        if isinstance(self.identity, Unset):
            identity = UNSET
        else:
            identity = self.identity

        identity_type: str | Unset = UNSET
        if not isinstance(self.identity_type, Unset):
            identity_type = self.identity_type.value

        metadata: dict[str, Any] | None | Unset
        if isinstance(self.metadata, Unset):
            metadata = UNSET
        elif isinstance(self.metadata, ChangeContactRequestMetadataType0):
            metadata = self.metadata.to_dict()
        else:
            metadata = self.metadata

        tags: list[str] | None | Unset
        if isinstance(self.tags, Unset):
            tags = UNSET
        elif isinstance(self.tags, list):
            tags = self.tags

        else:
            tags = self.tags

        type_: str | Unset = UNSET
        if not isinstance(self.type_, Unset):
            type_ = self.type_.value

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({})
        if account_ref is not UNSET:
            field_dict["accountRef"] = account_ref
        if channel is not UNSET:
            field_dict["channel"] = channel
        if company is not UNSET:
            field_dict["company"] = company
        if department is not UNSET:
            field_dict["department"] = department
        if display_name is not UNSET:
            field_dict["displayName"] = display_name
        if employee_id is not UNSET:
            field_dict["employeeId"] = employee_id
        if identity is not UNSET:
            field_dict["identity"] = identity
        if identity_type is not UNSET:
            field_dict["identityType"] = identity_type
        if metadata is not UNSET:
            field_dict["metadata"] = metadata
        if tags is not UNSET:
            field_dict["tags"] = tags
        if type_ is not UNSET:
            field_dict["type"] = type_

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.change_contact_request_metadata_type_0 import (
            ChangeContactRequestMetadataType0,  # noqa: PLC0415
        )

        d = dict(src_dict)

        def _parse_account_ref(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        account_ref = _parse_account_ref(d.pop("accountRef", UNSET))

        def _parse_channel(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        channel = _parse_channel(d.pop("channel", UNSET))

        def _parse_company(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        company = _parse_company(d.pop("company", UNSET))

        def _parse_department(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        department = _parse_department(d.pop("department", UNSET))

        def _parse_display_name(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        display_name = _parse_display_name(d.pop("displayName", UNSET))

        def _parse_employee_id(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        employee_id = _parse_employee_id(d.pop("employeeId", UNSET))

        def _parse_identity(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        identity = _parse_identity(d.pop("identity", UNSET))

        _identity_type = d.pop("identityType", UNSET)
        identity_type: ChangeContactRequestIdentityType | Unset
        if isinstance(_identity_type, Unset):
            identity_type = UNSET
        else:
            identity_type = ChangeContactRequestIdentityType(_identity_type)

        def _parse_metadata(
            data: object,
        ) -> ChangeContactRequestMetadataType0 | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                metadata_type_0 = ChangeContactRequestMetadataType0.from_dict(data)

                return metadata_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(ChangeContactRequestMetadataType0 | None | Unset, data)

        metadata = _parse_metadata(d.pop("metadata", UNSET))

        def _parse_tags(data: object) -> list[str] | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, list):
                    raise TypeError()
                tags_type_0 = cast(list[str], data)

                return tags_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(list[str] | None | Unset, data)

        tags = _parse_tags(d.pop("tags", UNSET))

        _type_ = d.pop("type", UNSET)
        type_: ChangeContactRequestType | Unset
        if isinstance(_type_, Unset):
            type_ = UNSET
        else:
            type_ = ChangeContactRequestType(_type_)

        change_contact_request = cls(
            account_ref=account_ref,
            channel=channel,
            company=company,
            department=department,
            display_name=display_name,
            employee_id=employee_id,
            identity=identity,
            identity_type=identity_type,
            metadata=metadata,
            tags=tags,
            type_=type_,
        )

        change_contact_request.additional_properties = d
        return change_contact_request

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
