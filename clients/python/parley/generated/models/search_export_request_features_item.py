from enum import StrEnum


class SearchExportRequestFeaturesItem(StrEnum):
    ADVANCEDCONFIG = "advancedConfig"
    ANSWERCONFIG = "answerConfig"
    ANSWERRETRIEVALS = "answerRetrievals"
    BUSINESSRULES = "businessRules"
    CHUNKSTAGES = "chunkStages"
    SEARCHRESULTSCONFIG = "searchResultsConfig"

    def __str__(self) -> str:
        return str(self.value)
