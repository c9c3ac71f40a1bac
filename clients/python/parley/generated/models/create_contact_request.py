from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..models.create_contact_request_identity_type import (
    CreateContactRequestIdentityType,
)
from ..models.create_contact_request_type import CreateContactRequestType
from ..types import UNSET, Unset

if TYPE_CHECKING:
    from ..models.create_contact_request_metadata import CreateContactRequestMetadata


T = TypeVar("T", bound="CreateContactRequest")


@_attrs_define
class CreateContactRequest:
    """
    Attributes:
        account_ref (str | Unset):
        channel (str | Unset):
        company (str | Unset):
        department (str | Unset):
        display_name (str | Unset):
        employee_id (str | Unset):
        identity (str | Unset): With identityType.
        identity_type (CreateContactRequestIdentityType | Unset):
        metadata (CreateContactRequestMetadata | Unset): An object of at most 16 KiB and 5 levels.
        tags (list[str] | Unset): Each of 1 to 50 characters.
        type_ (CreateContactRequestType | Unset): customer unless said, and anonymous without an identity.
    """

    account_ref: str | Unset = UNSET
    channel: str | Unset = UNSET
    company: str | Unset = UNSET
    department: str | Unset = UNSET
    display_name: str | Unset = UNSET
    employee_id: str | Unset = UNSET
    identity: str | Unset = UNSET
    identity_type: CreateContactRequestIdentityType | Unset = UNSET
    metadata: CreateContactRequestMetadata | Unset = UNSET
    tags: list[str] | Unset = UNSET
    type_: CreateContactRequestType | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        account_ref = self.account_ref

        channel = self.channel

        company = self.company

        department = self.department

        display_name = self.display_name

        employee_id = self.employee_id

        identity = self.identity

        identity_type: str | Unset = UNSET
        if not isinstance(self.identity_type, Unset):
            identity_type = self.identity_type.value

        metadata: dict[str, Any] | Unset = UNSET
        if not isinstance(self.metadata, Unset):
            metadata = self.metadata.to_dict()

        tags: list[str] | Unset = UNSET
        if not isinstance(self.tags, Unset):
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
        from ..models.create_contact_request_metadata import (
            CreateContactRequestMetadata,  # noqa: PLC0415
        )

        d = dict(src_dict)
        account_ref = d.pop("accountRef", UNSET)

        channel = d.pop("channel", UNSET)

        company = d.pop("company", UNSET)

        department = d.pop("department", UNSET)

        display_name = d.pop("displayName", UNSET)

        employee_id = d.pop("employeeId", UNSET)

        identity = d.pop("identity", UNSET)

        _identity_type = d.pop("identityType", UNSET)
        identity_type: CreateContactRequestIdentityType | Unset
        if isinstance(_identity_type, Unset):
            identity_type = UNSET
        else:
            identity_type = CreateContactRequestIdentityType(_identity_type)

        _metadata = d.pop("metadata", UNSET)
        metadata: CreateContactRequestMetadata | Unset
        if isinstance(_metadata, Unset):
            metadata = UNSET
        else:
            metadata = CreateContactRequestMetadata.from_dict(_metadata)

        tags = cast(list[str], d.pop("tags", UNSET))

        _type_ = d.pop("type", UNSET)
        type_: CreateContactRequestType | Unset
        if isinstance(_type_, Unset):
            type_ = UNSET
        else:
            type_ = CreateContactRequestType(_type_)

        create_contact_request = cls(
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

        create_contact_request.additional_properties = d
        return create_contact_request

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
