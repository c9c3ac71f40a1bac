from enum import StrEnum


class AppliedManifestOutcome(StrEnum):
    CHANGED = "changed"
    CREATED = "created"
    REMOVED = "removed"
    UNCHANGED = "unchanged"

    def __str__(self) -> str:
        return str(self.value)
