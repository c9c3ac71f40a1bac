from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..models.contact_shown_identity_type import ContactShownIdentityType
from ..models.contact_shown_type import ContactShownType
from ..types import UNSET, Unset

if TYPE_CHECKING:
    from ..models.contact_shown_metadata import ContactShownMetadata


T = TypeVar("T", bound="ContactShown")


@_attrs_define
class ContactShown:
    """
    Attributes:
        first_seen_at (datetime.datetime):
        id (str):
        last_seen_at (datetime.datetime): When a session of the contact was linked last.
        metadata (ContactShownMetadata): An object; what it holds is the account's own.
        tags (list[str]):
        tenant_id (str):
        type_ (ContactShownType):
        account_ref (str | Unset):
        channel (str | Unset): The contact's primary channel.
        company (str | Unset):
        deleted_at (datetime.datetime | Unset):
        department (str | Unset):
        display_name (str | Unset):
        employee_id (str | Unset):
        identity (str | Unset): An e-mail address in lower case, a telephone number in E.164, or the account's own id.
        identity_type (ContactShownIdentityType | Unset):
    """

    first_seen_at: datetime.datetime
    id: str
    last_seen_at: datetime.datetime
    metadata: ContactShownMetadata
    tags: list[str]
    tenant_id: str
    type_: ContactShownType
    account_ref: str | Unset = UNSET
    channel: str | Unset = UNSET
    company: str | Unset = UNSET
    deleted_at: datetime.datetime | Unset = UNSET
    department: str | Unset = UNSET
    display_name: str | Unset = UNSET
    employee_id: str | Unset = UNSET
    identity: str | Unset = UNSET
    identity_type: ContactShownIdentityType | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        first_seen_at = self.first_seen_at.isoformat()

        id = self.id

        last_seen_at = self.last_seen_at.isoformat()

        metadata = self.metadata.to_dict()

        tags = self.tags

        tenant_id = self.tenant_id

        type_ = self.type_.value

        account_ref = self.account_ref

        channel = self.channel

        company = self.company

        deleted_at: str | Unset = UNSET
        if not isinstance(self.deleted_at, Unset):
            deleted_at = self.deleted_at.isoformat()

        department = self.department

        display_name = self.display_name

        employee_id = self.employee_id

        identity = self.identity

        identity_type: str | Unset = UNSET
        if not isinstance(self.identity_type, Unset):
            identity_type = self.identity_type.value

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "firstSeenAt": first_seen_at,
                "id": id,
                "lastSeenAt": last_seen_at,
                "metadata": metadata,
                "tags": tags,
                "tenantId": tenant_id,
                "type": type_,
            }
        )
        if account_ref is not UNSET:
            field_dict["accountRef"] = account_ref
        if channel is not UNSET:
            field_dict["channel"] = channel
        if company is not UNSET:
            field_dict["company"] = company
        if deleted_at is not UNSET:
            field_dict["deletedAt"] = deleted_at
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

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.contact_shown_metadata import (
            ContactShownMetadata,  # noqa: PLC0415
        )

        d = dict(src_dict)
        first_seen_at = datetime.datetime.fromisoformat(d.pop("firstSeenAt"))

        id = d.pop("id")

        last_seen_at = datetime.datetime.fromisoformat(d.pop("lastSeenAt"))

        metadata = ContactShownMetadata.from_dict(d.pop("metadata"))

        tags = cast(list[str], d.pop("tags"))

        tenant_id = d.pop("tenantId")

        type_ = ContactShownType(d.pop("type"))

        account_ref = d.pop("accountRef", UNSET)

        channel = d.pop("channel", UNSET)

        company = d.pop("company", UNSET)

        _deleted_at = d.pop("deletedAt", UNSET)
        deleted_at: datetime.datetime | Unset
        if isinstance(_deleted_at, Unset):
            deleted_at = UNSET
        else:
            deleted_at = datetime.datetime.fromisoformat(_deleted_at)

        department = d.pop("department", UNSET)

        display_name = d.pop("displayName", UNSET)

        employee_id = d.pop("employeeId", UNSET)

        identity = d.pop("identity", UNSET)

        _identity_type = d.pop("identityType", UNSET)
        identity_type: ContactShownIdentityType | Unset
        if isinstance(_identity_type, Unset):
            identity_type = UNSET
        else:
            identity_type = ContactShownIdentityType(_identity_type)

        contact_shown = cls(
            first_seen_at=first_seen_at,
            id=id,
            last_seen_at=last_seen_at,
            metadata=metadata,
            tags=tags,
            tenant_id=tenant_id,
            type_=type_,
            account_ref=account_ref,
            channel=channel,
            company=company,
            deleted_at=deleted_at,
            department=department,
            display_name=display_name,
            employee_id=employee_id,
            identity=identity,
            identity_type=identity_type,
        )

        contact_shown.additional_properties = d
        return contact_shown

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
