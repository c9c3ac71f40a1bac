"""Contains all the data models used in inputs/outputs"""

from .add_attachment_body import AddAttachmentBody
from .add_voicemail_result import AddVoicemailResult
from .after_call_work import AfterCallWork
from .after_call_work_input import AfterCallWorkInput
from .agent import Agent
from .agent_analytics_result import AgentAnalyticsResult
from .agent_category import AgentCategory
from .agent_cost import AgentCost
from .agent_detail import AgentDetail
from .agent_detail_active_versions import AgentDetailActiveVersions
from .agent_figures import AgentFigures
from .agent_group import AgentGroup
from .agent_in_session import AgentInSession
from .agent_language import AgentLanguage
from .agent_layout import AgentLayout
from .agent_name import AgentName
from .agent_result import AgentResult
from .agent_skill import AgentSkill
from .agent_summary import AgentSummary
from .agent_summary_active_versions import AgentSummaryActiveVersions
from .agent_version import AgentVersion
from .agents_deployment_result import AgentsDeploymentResult
from .aggregate_request import AggregateRequest
from .aggregate_request_group_by_item import AggregateRequestGroupByItem
from .aggregate_request_metrics_item import AggregateRequestMetricsItem
from .analytics_event import AnalyticsEvent
from .analytics_event_category import AnalyticsEventCategory
from .analytics_event_metadata import AnalyticsEventMetadata
from .analytics_events_category import AnalyticsEventsCategory
from .analytics_events_result import AnalyticsEventsResult
from .analytics_filter import AnalyticsFilter
from .analytics_filter_category import AnalyticsFilterCategory
from .analytics_metrics_category import AnalyticsMetricsCategory
from .analytics_metrics_group_by_item import AnalyticsMetricsGroupByItem
from .analytics_metrics_metrics_item import AnalyticsMetricsMetricsItem
from .analytics_metrics_result import AnalyticsMetricsResult
from .analytics_page import AnalyticsPage
from .analytics_query_request import AnalyticsQueryRequest
from .analytics_query_request_category import AnalyticsQueryRequestCategory
from .answer_result import AnswerResult
from .answer_result_status import AnswerResultStatus
from .answer_shown import AnswerShown
from .answer_shown_finish_reason import AnswerShownFinishReason
from .applied_event import AppliedEvent
from .applied_event_data import AppliedEventData
from .applied_manifest import AppliedManifest
from .applied_manifest_generated import AppliedManifestGenerated
from .applied_manifest_outcome import AppliedManifestOutcome
from .apply_request import ApplyRequest
from .apply_result import ApplyResult
from .assign_conversation_request import AssignConversationRequest
from .assign_conversation_request_transferred_type import (
    AssignConversationRequestTransferredType,
)
from .assign_conversation_result import AssignConversationResult
from .assign_conversation_result_status import AssignConversationResultStatus
from .assign_conversation_transferred_type import AssignConversationTransferredType
from .assist_failure import AssistFailure
from .assist_suggestion import AssistSuggestion
from .async_choice import AsyncChoice
from .async_message import AsyncMessage
from .async_message_action import AsyncMessageAction
from .async_message_status import AsyncMessageStatus
from .async_reply import AsyncReply
from .attachment_result import AttachmentResult
from .audit_event import AuditEvent
from .audit_event_data import AuditEventData
from .bot_role_of_user import BotRoleOfUser
from .call_agent_body import CallAgentBody
from .call_agent_body_jsonrpc import CallAgentBodyJsonrpc
from .call_agent_body_message import CallAgentBodyMessage
from .call_agent_body_params import CallAgentBodyParams
from .call_agent_response_200 import CallAgentResponse200
from .call_agent_response_200_error import CallAgentResponse200Error
from .call_agent_response_200_result import CallAgentResponse200Result
from .call_answered_notification import CallAnsweredNotification
from .call_answered_notification_status import CallAnsweredNotificationStatus
from .call_completed_notification import CallCompletedNotification
from .call_completed_notification_status import CallCompletedNotificationStatus
from .call_control_parameter import CallControlParameter
from .call_detail import CallDetail
from .call_detail_meta_info import CallDetailMetaInfo
from .call_details_request import CallDetailsRequest
from .call_details_result import CallDetailsResult
from .call_failed_notification import CallFailedNotification
from .call_failed_notification_status import CallFailedNotificationStatus
from .call_in_progress_notification import CallInProgressNotification
from .call_in_progress_notification_machine_detection import (
    CallInProgressNotificationMachineDetection,
)
from .call_in_progress_notification_status import CallInProgressNotificationStatus
from .caller_context import CallerContext
from .caller_context_custom_attributes import CallerContextCustomAttributes
from .calling_day import CallingDay
from .calling_day_day import CallingDayDay
from .calling_hours import CallingHours
from .calling_hours_frequency import CallingHoursFrequency
from .campaign import Campaign
from .campaign_campaign_type import CampaignCampaignType
from .campaign_direction import CampaignDirection
from .campaign_priority import CampaignPriority
from .campaign_request import CampaignRequest
from .campaign_request_campaign_type import CampaignRequestCampaignType
from .campaign_request_priority import CampaignRequestPriority
from .campaign_result import CampaignResult
from .campaign_result_status import CampaignResultStatus
from .campaign_run import CampaignRun
from .campaign_run_campaign_type import CampaignRunCampaignType
from .campaign_run_result import CampaignRunResult
from .campaign_run_result_status import CampaignRunResultStatus
from .campaign_run_status import CampaignRunStatus
from .campaign_schedule import CampaignSchedule
from .campaign_schedule_input import CampaignScheduleInput
from .campaign_status import CampaignStatus
from .campaign_verdict import CampaignVerdict
from .campaign_verdict_next import CampaignVerdictNext
from .campaign_verdict_verdict import CampaignVerdictVerdict
from .campaign_verdicts import CampaignVerdicts
from .campaign_verdicts_result import CampaignVerdictsResult
from .campaign_verdicts_result_status import CampaignVerdictsResultStatus
from .cancel_turn_result import CancelTurnResult
from .change_channel_request import ChangeChannelRequest
from .change_channel_request_channel_type import ChangeChannelRequestChannelType
from .change_channel_request_config_type_0 import ChangeChannelRequestConfigType0
from .change_channel_request_environment import ChangeChannelRequestEnvironment
from .change_connection_request import ChangeConnectionRequest
from .change_connection_request_channel_type import ChangeConnectionRequestChannelType
from .change_connection_request_credentials import ChangeConnectionRequestCredentials
from .change_connection_request_environment import ChangeConnectionRequestEnvironment
from .change_contact_request import ChangeContactRequest
from .change_contact_request_identity_type import ChangeContactRequestIdentityType
from .change_contact_request_metadata_type_0 import ChangeContactRequestMetadataType0
from .change_contact_request_type import ChangeContactRequestType
from .change_secret_request import ChangeSecretRequest
from .channel_delivery import ChannelDelivery
from .channel_delivery_state import ChannelDeliveryState
from .channel_delivery_status import ChannelDeliveryStatus
from .channel_result import ChannelResult
from .channel_shown import ChannelShown
from .channel_shown_channel_type import ChannelShownChannelType
from .channel_shown_config import ChannelShownConfig
from .channel_shown_environment import ChannelShownEnvironment
from .channel_token_result import ChannelTokenResult
from .chat_action import ChatAction
from .chat_call import ChatCall
from .chat_call_function import ChatCallFunction
from .chat_element import ChatElement
from .chat_element_kind import ChatElementKind
from .chat_message import ChatMessage
from .chat_message_role import ChatMessageRole
from .chat_option import ChatOption
from .chat_outcome import ChatOutcome
from .chat_outcome_type import ChatOutcomeType
from .chat_request import ChatRequest
from .chat_request_environment import ChatRequestEnvironment
from .chat_request_metadata import ChatRequestMetadata
from .chat_request_on_busy import ChatRequestOnBusy
from .chat_result import ChatResult
from .chat_state import ChatState
from .chat_state_gathered import ChatStateGathered
from .chat_state_status import ChatStateStatus
from .chat_state_variables import ChatStateVariables
from .chat_tool import ChatTool
from .chat_tool_parameters import ChatToolParameters
from .chat_usage_group_by import ChatUsageGroupBy
from .chat_usage_result import ChatUsageResult
from .children_result import ChildrenResult
from .chosen_action import ChosenAction
from .completion_request import CompletionRequest
from .completion_request_tier import CompletionRequestTier
from .connection_error import ConnectionError_
from .connection_error_about import ConnectionErrorAbout
from .connection_result import ConnectionResult
from .connection_shown import ConnectionShown
from .connection_shown_environment import ConnectionShownEnvironment
from .contact_result import ContactResult
from .contact_shown import ContactShown
from .contact_shown_identity_type import ContactShownIdentityType
from .contact_shown_metadata import ContactShownMetadata
from .contact_shown_type import ContactShownType
from .conversation import Conversation
from .conversation_experience import ConversationExperience
from .conversation_message import ConversationMessage
from .conversation_message_assist import ConversationMessageAssist
from .conversation_message_author import ConversationMessageAuthor
from .conversation_message_experience import ConversationMessageExperience
from .conversation_meta_info import ConversationMetaInfo
from .conversation_origin import ConversationOrigin
from .conversation_participant import ConversationParticipant
from .conversation_participant_entered_by import ConversationParticipantEnteredBy
from .conversation_participant_experience import ConversationParticipantExperience
from .conversation_participant_left_by import ConversationParticipantLeftBy
from .conversation_status import ConversationStatus
from .conversation_summary import ConversationSummary
from .conversation_summary_status import ConversationSummaryStatus
from .conversation_tag import ConversationTag
from .cost_breakdown_result import CostBreakdownResult
from .cost_figures import CostFigures
from .create_agent_request import CreateAgentRequest
from .create_channel_request import CreateChannelRequest
from .create_channel_request_channel_type import CreateChannelRequestChannelType
from .create_channel_request_config import CreateChannelRequestConfig
from .create_channel_request_environment import CreateChannelRequestEnvironment
from .create_connection_request import CreateConnectionRequest
from .create_connection_request_channel_type import CreateConnectionRequestChannelType
from .create_connection_request_credentials import CreateConnectionRequestCredentials
from .create_connection_request_environment import CreateConnectionRequestEnvironment
from .create_contact_request import CreateContactRequest
from .create_contact_request_identity_type import CreateContactRequestIdentityType
from .create_contact_request_metadata import CreateContactRequestMetadata
from .create_contact_request_type import CreateContactRequestType
from .create_deployment_request import CreateDeploymentRequest
from .create_deployment_request_environment import CreateDeploymentRequestEnvironment
from .create_deployment_request_model_overrides import (
    CreateDeploymentRequestModelOverrides,
)
from .create_deployment_request_model_overrides_additional_property import (
    CreateDeploymentRequestModelOverridesAdditionalProperty,
)
from .create_deployment_request_workflow_version_manifest import (
    CreateDeploymentRequestWorkflowVersionManifest,
)
from .create_key_request import CreateKeyRequest
from .create_key_result import CreateKeyResult
from .create_secret_request import CreateSecretRequest
from .create_secret_request_environment import CreateSecretRequestEnvironment
from .create_session_request import CreateSessionRequest
from .create_session_request_environment import CreateSessionRequestEnvironment
from .create_session_result import CreateSessionResult
from .created_key import CreatedKey
from .custom_filter import CustomFilter
from .customer_info import CustomerInfo
from .data import Data
from .day_cost import DayCost
from .deploy_tool_request import DeployToolRequest
from .deploy_workflow_request import DeployWorkflowRequest
from .deployment_change import DeploymentChange
from .deployment_change_what import DeploymentChangeWhat
from .deployment_detail import DeploymentDetail
from .deployment_detail_agent_version_manifest import (
    DeploymentDetailAgentVersionManifest,
)
from .deployment_detail_environment import DeploymentDetailEnvironment
from .deployment_detail_model_overrides import DeploymentDetailModelOverrides
from .deployment_detail_status import DeploymentDetailStatus
from .deployment_detail_workflow_version_manifest import (
    DeploymentDetailWorkflowVersionManifest,
)
from .deployment_job import DeploymentJob
from .deployment_job_action import DeploymentJobAction
from .deployment_job_job_type import DeploymentJobJobType
from .deployment_job_status import DeploymentJobStatus
from .deployment_shown import DeploymentShown
from .deployment_shown_agent_version_manifest import DeploymentShownAgentVersionManifest
from .deployment_shown_environment import DeploymentShownEnvironment
from .deployment_shown_model_overrides import DeploymentShownModelOverrides
from .deployment_shown_status import DeploymentShownStatus
from .deployment_shown_workflow_version_manifest import (
    DeploymentShownWorkflowVersionManifest,
)
from .destination import Destination
from .destination_destination_type import DestinationDestinationType
from .detection_timers import DetectionTimers
from .dial_out_request import DialOutRequest
from .dial_out_request_machine_detection import DialOutRequestMachineDetection
from .dial_out_request_notify_headers import DialOutRequestNotifyHeaders
from .dial_out_result import DialOutResult
from .dialing_strategy import DialingStrategy
from .dialing_strategy_caller_id import DialingStrategyCallerID
from .difference import Difference
from .difference_result import DifferenceResult
from .discover_one_result import DiscoverOneResult
from .discover_result import DiscoverResult
from .door_request import DoorRequest
from .door_request_metadata import DoorRequestMetadata
from .entry import Entry
from .entry_who import EntryWho
from .erase_person_request import ErasePersonRequest
from .erasure import Erasure
from .erasure_forgotten import ErasureForgotten
from .erasure_result import ErasureResult
from .erasure_status import ErasureStatus
from .escalation import Escalation
from .escalation_context import EscalationContext
from .escalation_priority import EscalationPriority
from .event_position import EventPosition
from .export_agent import ExportAgent
from .export_dependencies import ExportDependencies
from .export_edge import ExportEdge
from .export_edge_type import ExportEdgeType
from .export_person_request import ExportPersonRequest
from .export_preview_result import ExportPreviewResult
from .export_problem import ExportProblem
from .export_project import ExportProject
from .export_tool import ExportTool
from .export_tool_tool_type import ExportToolToolType
from .export_validation import ExportValidation
from .failure import Failure
from .fault import Fault
from .feedback_in_session import FeedbackInSession
from .feedback_in_session_by_rating import FeedbackInSessionByRating
from .feedback_request import FeedbackRequest
from .feedback_result import FeedbackResult
from .feedback_shown import FeedbackShown
from .feedback_shown_rating_type_0 import FeedbackShownRatingType0
from .feedback_taken import FeedbackTaken
from .feedback_taken_rating_type_0 import FeedbackTakenRatingType0
from .field_fault import FieldFault
from .figures_result import FiguresResult
from .filter_widget_request import FilterWidgetRequest
from .finding import Finding
from .finding_kind import FindingKind
from .finding_severity import FindingSeverity
from .findings_result import FindingsResult
from .generation import Generation
from .generation_status import GenerationStatus
from .generation_type import GenerationType
from .generation_usage import GenerationUsage
from .generations_result import GenerationsResult
from .get_agent_card_response_200 import GetAgentCardResponse200
from .get_async_result import GetAsyncResult
from .get_conversation_result import GetConversationResult
from .get_deployment_result import GetDeploymentResult
from .get_result import GetResult
from .get_session_result import GetSessionResult
from .get_voicemail_transcription import GetVoicemailTranscription
from .hand_back_result import HandBackResult
from .handed_back import HandedBack
from .handed_back_status import HandedBackStatus
from .hook_author import HookAuthor
from .hook_custom_fields import HookCustomFields
from .hook_event import HookEvent
from .hook_event_is_ext_ad_type_1 import HookEventIsExtADType1
from .hook_participant import HookParticipant
from .hook_refusal import HookRefusal
from .hook_request import HookRequest
from .hook_result import HookResult
from .hook_result_status import HookResultSTATUS
from .hook_summary import HookSummary
from .human_agent import HumanAgent
from .human_agent_online_status_type import HumanAgentOnlineStatusType
from .identity import Identity
from .identity_kind import IdentityKind
from .interaction import Interaction
from .interaction_result import InteractionResult
from .interaction_status import InteractionStatus
from .kept_days import KeptDays
from .kept_for import KeptFor
from .key_scope import KeyScope
from .key_scope_permissions import KeyScopePermissions
from .levels import Levels
from .link_contact_request import LinkContactRequest
from .link_contact_result import LinkContactResult
from .list_agents_result import ListAgentsResult
from .list_campaigns_result import ListCampaignsResult
from .list_channel_connections_is_active import ListChannelConnectionsIsActive
from .list_channel_deliveries_status import ListChannelDeliveriesStatus
from .list_channels_result import ListChannelsResult
from .list_connections_result import ListConnectionsResult
from .list_contacts_result import ListContactsResult
from .list_contacts_type import ListContactsType
from .list_conversations_result import ListConversationsResult
from .list_conversations_status import ListConversationsStatus
from .list_deliveries_result import ListDeliveriesResult
from .list_deployments_environment import ListDeploymentsEnvironment
from .list_deployments_result import ListDeploymentsResult
from .list_deployments_status import ListDeploymentsStatus
from .list_erasures_result import ListErasuresResult
from .list_events_order import ListEventsOrder
from .list_events_result import ListEventsResult
from .list_human_agents_result import ListHumanAgentsResult
from .list_interactions_result import ListInteractionsResult
from .list_interactions_status import ListInteractionsStatus
from .list_messages_result import ListMessagesResult
from .list_messages_status import ListMessagesStatus
from .list_person_exports_result import ListPersonExportsResult
from .list_retention_result import ListRetentionResult
from .list_roles_result import ListRolesResult
from .list_roles_role_type import ListRolesRoleType
from .list_secrets_result import ListSecretsResult
from .list_sessions_channel import ListSessionsChannel
from .list_sessions_result import ListSessionsResult
from .list_sessions_status import ListSessionsStatus
from .list_tool_secrets_environment import ListToolSecretsEnvironment
from .list_transfers_result import ListTransfersResult
from .list_user_roles_result import ListUserRolesResult
from .list_versions_result import ListVersionsResult
from .listed_file import ListedFile
from .lookup_contact_identity_type import LookupContactIdentityType
from .manifest import Manifest
from .manifest_metadata import ManifestMetadata
from .manifest_spec import ManifestSpec
from .metrics import Metrics
from .metrics_buckets_item import MetricsBucketsItem
from .model_call_figures import ModelCallFigures
from .model_cost import ModelCost
from .model_in_session import ModelInSession
from .model_usage_shown import ModelUsageShown
from .models_result import ModelsResult
from .models_result_object import ModelsResultObject
from .note_conversation_request import NoteConversationRequest
from .note_conversation_request_meta_info import NoteConversationRequestMetaInfo
from .note_conversation_result import NoteConversationResult
from .note_conversation_result_meta_info import NoteConversationResultMetaInfo
from .open_ai_assistant_message import OpenAIAssistantMessage
from .open_ai_assistant_message_role import OpenAIAssistantMessageRole
from .open_ai_choice import OpenAIChoice
from .open_ai_choice_finish_reason import OpenAIChoiceFinishReason
from .open_ai_completion import OpenAICompletion
from .open_ai_completion_object import OpenAICompletionObject
from .open_ai_fault import OpenAIFault
from .open_ai_fault_type import OpenAIFaultType
from .open_ai_function_call import OpenAIFunctionCall
from .open_ai_message import OpenAIMessage
from .open_ai_message_role import OpenAIMessageRole
from .open_ai_metadata import OpenAIMetadata
from .open_ai_model import OpenAIModel
from .open_ai_model_object import OpenAIModelObject
from .open_ai_refusal import OpenAIRefusal
from .open_ai_request import OpenAIRequest
from .open_ai_request_modalities_item import OpenAIRequestModalitiesItem
from .open_ai_response_format import OpenAIResponseFormat
from .open_ai_response_format_type import OpenAIResponseFormatType
from .open_ai_stream_options import OpenAIStreamOptions
from .open_ai_tool import OpenAITool
from .open_ai_tool_call import OpenAIToolCall
from .open_ai_tool_call_type import OpenAIToolCallType
from .open_ai_tool_type import OpenAIToolType
from .open_ai_usage import OpenAIUsage
from .pagination import Pagination
from .payload import Payload
from .payload_content import PayloadContent
from .person_export import PersonExport
from .person_export_streams import PersonExportStreams
from .post_async_request import PostAsyncRequest
from .post_async_result import PostAsyncResult
from .presence_request import PresenceRequest
from .presence_request_online_status_type import PresenceRequestOnlineStatusType
from .project_settings import ProjectSettings
from .promote_request import PromoteRequest
from .promote_request_target_environment import PromoteRequestTargetEnvironment
from .queue_agent import QueueAgent
from .queue_of_agent import QueueOfAgent
from .record_result import RecordResult
from .recorded_play import RecordedPlay
from .recorded_suite import RecordedSuite
from .recorded_suite_cases_item import RecordedSuiteCasesItem
from .refusal import Refusal
from .replay import Replay
from .replay_difference import ReplayDifference
from .replay_request import ReplayRequest
from .replay_request_versions import ReplayRequestVersions
from .replay_result import ReplayResult
from .replay_versions import ReplayVersions
from .replayed_event import ReplayedEvent
from .replayed_event_data import ReplayedEventData
from .responding_agent import RespondingAgent
from .responding_agent_destination_type import RespondingAgentDestinationType
from .responding_agent_status import RespondingAgentStatus
from .response_meta import ResponseMeta
from .retention_result import RetentionResult
from .retry_delivery_result import RetryDeliveryResult
from .revoke_key_result import RevokeKeyResult
from .revoked_key import RevokedKey
from .revoked_key_status import RevokedKeyStatus
from .role_of_user import RoleOfUser
from .rtc_capabilities_result import RtcCapabilitiesResult
from .rtc_token_request import RtcTokenRequest
from .rtc_token_result import RtcTokenResult
from .run_agent_input import RunAgentInput
from .run_request import RunRequest
from .run_request_environment import RunRequestEnvironment
from .said_message import SaidMessage
from .save_agent_request import SaveAgentRequest
from .saved_agent_result import SavedAgentResult
from .scope_result import ScopeResult
from .search_export_feature import SearchExportFeature
from .search_export_feature_feature import SearchExportFeatureFeature
from .search_export_feature_status import SearchExportFeatureStatus
from .search_export_file import SearchExportFile
from .search_export_job import SearchExportJob
from .search_export_job_status import SearchExportJobStatus
from .search_export_request import SearchExportRequest
from .search_export_request_features_item import SearchExportRequestFeaturesItem
from .search_export_result import SearchExportResult
from .search_export_result_status import SearchExportResultStatus
from .secret_result import SecretResult
from .send_request import SendRequest
from .send_request_metadata import SendRequestMetadata
from .send_request_on_busy import SendRequestOnBusy
from .session_analysis_severity import SessionAnalysisSeverity
from .session_begun import SessionBegun
from .session_detail import SessionDetail
from .session_detail_status import SessionDetailStatus
from .session_detail_versions import SessionDetailVersions
from .session_end_result import SessionEndResult
from .session_figures import SessionFigures
from .session_metrics import SessionMetrics
from .session_metrics_by_type import SessionMetricsByType
from .session_metrics_result import SessionMetricsResult
from .session_status import SessionStatus
from .session_status_status import SessionStatusStatus
from .session_summary import SessionSummary
from .session_summary_status import SessionSummaryStatus
from .session_tag import SessionTag
from .session_traces_include import SessionTracesInclude
from .set_retention_request import SetRetentionRequest
from .settings_budgets import SettingsBudgets
from .settings_languages import SettingsLanguages
from .settings_limits import SettingsLimits
from .settings_models import SettingsModels
from .settings_models_default_tier import SettingsModelsDefaultTier
from .settings_sessions import SettingsSessions
from .settings_tiers import SettingsTiers
from .shown_call import ShownCall
from .shown_usage import ShownUsage
from .sounded import Sounded
from .span import Span
from .span_kind import SpanKind
from .staff_role import StaffRole
from .staff_role_permissions import StaffRolePermissions
from .staff_role_role_type import StaffRoleRoleType
from .staff_user import StaffUser
from .step_details import StepDetails
from .step_difference import StepDifference
from .suite_shown import SuiteShown
from .suites_result import SuitesResult
from .summarize_again_result import SummarizeAgainResult
from .suspension import Suspension
from .tag_input import TagInput
from .take_over_request import TakeOverRequest
from .take_over_result import TakeOverResult
from .taken_over import TakenOver
from .tape_out import TapeOut
from .test_context import TestContext
from .test_context_gather_values import TestContextGatherValues
from .test_context_session_variables import TestContextSessionVariables
from .test_context_tool_mocks_item import TestContextToolMocksItem
from .test_run import TestRun
from .test_run_result import TestRunResult
from .test_run_result_status import TestRunResultStatus
from .test_run_status import TestRunStatus
from .text_message import TextMessage
from .text_message_status import TextMessageStatus
from .time_range import TimeRange
from .tool_call_figures import ToolCallFigures
from .tool_in_session import ToolInSession
from .tool_secret import ToolSecret
from .tool_secret_environment import ToolSecretEnvironment
from .trace_event import TraceEvent
from .trace_event_data import TraceEventData
from .traced_event import TracedEvent
from .traced_event_data import TracedEventData
from .traces_result import TracesResult
from .transcribe_again_result import TranscribeAgainResult
from .transcribe_again_result_transcription_status import (
    TranscribeAgainResultTranscriptionStatus,
)
from .transcript_message import TranscriptMessage
from .transcript_message_role import TranscriptMessageRole
from .transcript_result import TranscriptResult
from .transfer import Transfer
from .transfer_notification import TransferNotification
from .transfer_notification_status import TransferNotificationStatus
from .transfer_status import TransferStatus
from .trigger_campaign_campaign_type import TriggerCampaignCampaignType
from .trigger_campaign_request import TriggerCampaignRequest
from .trigger_campaign_result import TriggerCampaignResult
from .trigger_campaign_result_message import TriggerCampaignResultMessage
from .trigger_campaign_result_status import TriggerCampaignResultStatus
from .trigger_campaign_trigger import TriggerCampaignTrigger
from .update_human_agent_request import UpdateHumanAgentRequest
from .update_scope_request import UpdateScopeRequest
from .update_scope_request_permissions import UpdateScopeRequestPermissions
from .update_sms_campaign_campaign_type import UpdateSmsCampaignCampaignType
from .usage_summary import UsageSummary
from .use_request import UseRequest
from .use_request_action import UseRequestAction
from .use_result import UseResult
from .use_result_data import UseResultData
from .version import Version
from .version_result import VersionResult
from .version_text_result import VersionTextResult
from .versions_result import VersionsResult
from .voice_capabilities_result import VoiceCapabilitiesResult
from .voice_hour import VoiceHour
from .voice_hourly_result import VoiceHourlyResult
from .voice_summary import VoiceSummary
from .voice_summary_result import VoiceSummaryResult
from .voice_token_request import VoiceTokenRequest
from .voice_token_result import VoiceTokenResult
from .voicemail_author import VoicemailAuthor
from .voicemail_author_type import VoicemailAuthorType
from .voicemail_channel import VoicemailChannel
from .voicemail_component import VoicemailComponent
from .voicemail_component_ct import VoicemailComponentCT
from .voicemail_file import VoicemailFile
from .voicemail_file_transcription_status import VoicemailFileTranscriptionStatus
from .voicemail_message import VoicemailMessage
from .voicemail_message_status import VoicemailMessageStatus
from .voicemail_message_type import VoicemailMessageType
from .voicemail_result import VoicemailResult
from .voicemail_result_status import VoicemailResultStatus
from .voicemail_text import VoicemailText
from .widget_config import WidgetConfig
from .widget_config_mode import WidgetConfigMode
from .widget_config_position import WidgetConfigPosition
from .widget_config_result import WidgetConfigResult
from .widget_config_theme import WidgetConfigTheme
from .widget_dimension import WidgetDimension
from .widget_dimension_type import WidgetDimensionType
from .widget_init_request import WidgetInitRequest
from .widget_init_result import WidgetInitResult
from .widget_metric import WidgetMetric
from .widget_metric_function import WidgetMetricFunction
from .widget_metric_type import WidgetMetricType
from .widget_permissions import WidgetPermissions
from .widget_result import WidgetResult
from .widget_result_properties import WidgetResultProperties
from .widget_result_type import WidgetResultType
from .widget_rows import WidgetRows
from .widget_rows_meta_data import WidgetRowsMetaData
from .widget_rows_query_response_item import WidgetRowsQueryResponseItem
from .widget_sql_query import WidgetSQLQuery
from .with_people import WithPeople

__all__ = (
    "AddAttachmentBody",
    "AddVoicemailResult",
    "AfterCallWork",
    "AfterCallWorkInput",
    "Agent",
    "AgentAnalyticsResult",
    "AgentCategory",
    "AgentCost",
    "AgentDetail",
    "AgentDetailActiveVersions",
    "AgentFigures",
    "AgentGroup",
    "AgentInSession",
    "AgentLanguage",
    "AgentLayout",
    "AgentName",
    "AgentResult",
    "AgentsDeploymentResult",
    "AgentSkill",
    "AgentSummary",
    "AgentSummaryActiveVersions",
    "AgentVersion",
    "AggregateRequest",
    "AggregateRequestGroupByItem",
    "AggregateRequestMetricsItem",
    "AnalyticsEvent",
    "AnalyticsEventCategory",
    "AnalyticsEventMetadata",
    "AnalyticsEventsCategory",
    "AnalyticsEventsResult",
    "AnalyticsFilter",
    "AnalyticsFilterCategory",
    "AnalyticsMetricsCategory",
    "AnalyticsMetricsGroupByItem",
    "AnalyticsMetricsMetricsItem",
    "AnalyticsMetricsResult",
    "AnalyticsPage",
    "AnalyticsQueryRequest",
    "AnalyticsQueryRequestCategory",
    "AnswerResult",
    "AnswerResultStatus",
    "AnswerShown",
    "AnswerShownFinishReason",
    "AppliedEvent",
    "AppliedEventData",
    "AppliedManifest",
    "AppliedManifestGenerated",
    "AppliedManifestOutcome",
    "ApplyRequest",
    "ApplyResult",
    "AssignConversationRequest",
    "AssignConversationRequestTransferredType",
    "AssignConversationResult",
    "AssignConversationResultStatus",
    "AssignConversationTransferredType",
    "AssistFailure",
    "AssistSuggestion",
    "AsyncChoice",
    "AsyncMessage",
    "AsyncMessageAction",
    "AsyncMessageStatus",
    "AsyncReply",
    "AttachmentResult",
    "AuditEvent",
    "AuditEventData",
    "BotRoleOfUser",
    "CallAgentBody",
    "CallAgentBodyJsonrpc",
    "CallAgentBodyMessage",
    "CallAgentBodyParams",
    "CallAgentResponse200",
    "CallAgentResponse200Error",
    "CallAgentResponse200Result",
    "CallAnsweredNotification",
    "CallAnsweredNotificationStatus",
    "CallCompletedNotification",
    "CallCompletedNotificationStatus",
    "CallControlParameter",
    "CallDetail",
    "CallDetailMetaInfo",
    "CallDetailsRequest",
    "CallDetailsResult",
    "CallerContext",
    "CallerContextCustomAttributes",
    "CallFailedNotification",
    "CallFailedNotificationStatus",
    "CallingDay",
    "CallingDayDay",
    "CallingHours",
    "CallingHoursFrequency",
    "CallInProgressNotification",
    "CallInProgressNotificationMachineDetection",
    "CallInProgressNotificationStatus",
    "Campaign",
    "CampaignCampaignType",
    "CampaignDirection",
    "CampaignPriority",
    "CampaignRequest",
    "CampaignRequestCampaignType",
    "CampaignRequestPriority",
    "CampaignResult",
    "CampaignResultStatus",
    "CampaignRun",
    "CampaignRunCampaignType",
    "CampaignRunResult",
    "CampaignRunResultStatus",
    "CampaignRunStatus",
    "CampaignSchedule",
    "CampaignScheduleInput",
    "CampaignStatus",
    "CampaignVerdict",
    "CampaignVerdictNext",
    "CampaignVerdicts",
    "CampaignVerdictsResult",
    "CampaignVerdictsResultStatus",
    "CampaignVerdictVerdict",
    "CancelTurnResult",
    "ChangeChannelRequest",
    "ChangeChannelRequestChannelType",
    "ChangeChannelRequestConfigType0",
    "ChangeChannelRequestEnvironment",
    "ChangeConnectionRequest",
    "ChangeConnectionRequestChannelType",
    "ChangeConnectionRequestCredentials",
    "ChangeConnectionRequestEnvironment",
    "ChangeContactRequest",
    "ChangeContactRequestIdentityType",
    "ChangeContactRequestMetadataType0",
    "ChangeContactRequestType",
    "ChangeSecretRequest",
    "ChannelDelivery",
    "ChannelDeliveryState",
    "ChannelDeliveryStatus",
    "ChannelResult",
    "ChannelShown",
    "ChannelShownChannelType",
    "ChannelShownConfig",
    "ChannelShownEnvironment",
    "ChannelTokenResult",
    "ChatAction",
    "ChatCall",
    "ChatCallFunction",
    "ChatElement",
    "ChatElementKind",
    "ChatMessage",
    "ChatMessageRole",
    "ChatOption",
    "ChatOutcome",
    "ChatOutcomeType",
    "ChatRequest",
    "ChatRequestEnvironment",
    "ChatRequestMetadata",
    "ChatRequestOnBusy",
    "ChatResult",
    "ChatState",
    "ChatStateGathered",
    "ChatStateStatus",
    "ChatStateVariables",
    "ChatTool",
    "ChatToolParameters",
    "ChatUsageGroupBy",
    "ChatUsageResult",
    "ChildrenResult",
    "ChosenAction",
    "CompletionRequest",
    "CompletionRequestTier",
    "ConnectionError_",
    "ConnectionErrorAbout",
    "ConnectionResult",
    "ConnectionShown",
    "ConnectionShownEnvironment",
    "ContactResult",
    "ContactShown",
    "ContactShownIdentityType",
    "ContactShownMetadata",
    "ContactShownType",
    "Conversation",
    "ConversationExperience",
    "ConversationMessage",
    "ConversationMessageAssist",
    "ConversationMessageAuthor",
    "ConversationMessageExperience",
    "ConversationMetaInfo",
    "ConversationOrigin",
    "ConversationParticipant",
    "ConversationParticipantEnteredBy",
    "ConversationParticipantExperience",
    "ConversationParticipantLeftBy",
    "ConversationStatus",
    "ConversationSummary",
    "ConversationSummaryStatus",
    "ConversationTag",
    "CostBreakdownResult",
    "CostFigures",
    "CreateAgentRequest",
    "CreateChannelRequest",
    "CreateChannelRequestChannelType",
    "CreateChannelRequestConfig",
    "CreateChannelRequestEnvironment",
    "CreateConnectionRequest",
    "CreateConnectionRequestChannelType",
    "CreateConnectionRequestCredentials",
    "CreateConnectionRequestEnvironment",
    "CreateContactRequest",
    "CreateContactRequestIdentityType",
    "CreateContactRequestMetadata",
    "CreateContactRequestType",
    "CreateDeploymentRequest",
    "CreateDeploymentRequestEnvironment",
    "CreateDeploymentRequestModelOverrides",
    "CreateDeploymentRequestModelOverridesAdditionalProperty",
    "CreateDeploymentRequestWorkflowVersionManifest",
    "CreatedKey",
    "CreateKeyRequest",
    "CreateKeyResult",
    "CreateSecretRequest",
    "CreateSecretRequestEnvironment",
    "CreateSessionRequest",
    "CreateSessionRequestEnvironment",
    "CreateSessionResult",
    "CustomerInfo",
    "CustomFilter",
    "Data",
    "DayCost",
    "DeploymentChange",
    "DeploymentChangeWhat",
    "DeploymentDetail",
    "DeploymentDetailAgentVersionManifest",
    "DeploymentDetailEnvironment",
    "DeploymentDetailModelOverrides",
    "DeploymentDetailStatus",
    "DeploymentDetailWorkflowVersionManifest",
    "DeploymentJob",
    "DeploymentJobAction",
    "DeploymentJobJobType",
    "DeploymentJobStatus",
    "DeploymentShown",
    "DeploymentShownAgentVersionManifest",
    "DeploymentShownEnvironment",
    "DeploymentShownModelOverrides",
    "DeploymentShownStatus",
    "DeploymentShownWorkflowVersionManifest",
    "DeployToolRequest",
    "DeployWorkflowRequest",
    "Destination",
    "DestinationDestinationType",
    "DetectionTimers",
    "DialingStrategy",
    "DialingStrategyCallerID",
    "DialOutRequest",
    "DialOutRequestMachineDetection",
    "DialOutRequestNotifyHeaders",
    "DialOutResult",
    "Difference",
    "DifferenceResult",
    "DiscoverOneResult",
    "DiscoverResult",
    "DoorRequest",
    "DoorRequestMetadata",
    "Entry",
    "EntryWho",
    "ErasePersonRequest",
    "Erasure",
    "ErasureForgotten",
    "ErasureResult",
    "ErasureStatus",
    "Escalation",
    "EscalationContext",
    "EscalationPriority",
    "EventPosition",
    "ExportAgent",
    "ExportDependencies",
    "ExportEdge",
    "ExportEdgeType",
    "ExportPersonRequest",
    "ExportPreviewResult",
    "ExportProblem",
    "ExportProject",
    "ExportTool",
    "ExportToolToolType",
    "ExportValidation",
    "Failure",
    "Fault",
    "FeedbackInSession",
    "FeedbackInSessionByRating",
    "FeedbackRequest",
    "FeedbackResult",
    "FeedbackShown",
    "FeedbackShownRatingType0",
    "FeedbackTaken",
    "FeedbackTakenRatingType0",
    "FieldFault",
    "FiguresResult",
    "FilterWidgetRequest",
    "Finding",
    "FindingKind",
    "FindingSeverity",
    "FindingsResult",
    "Generation",
    "GenerationsResult",
    "GenerationStatus",
    "GenerationType",
    "GenerationUsage",
    "GetAgentCardResponse200",
    "GetAsyncResult",
    "GetConversationResult",
    "GetDeploymentResult",
    "GetResult",
    "GetSessionResult",
    "GetVoicemailTranscription",
    "HandBackResult",
    "HandedBack",
    "HandedBackStatus",
    "HookAuthor",
    "HookCustomFields",
    "HookEvent",
    "HookEventIsExtADType1",
    "HookParticipant",
    "HookRefusal",
    "HookRequest",
    "HookResult",
    "HookResultSTATUS",
    "HookSummary",
    "HumanAgent",
    "HumanAgentOnlineStatusType",
    "Identity",
    "IdentityKind",
    "Interaction",
    "InteractionResult",
    "InteractionStatus",
    "KeptDays",
    "KeptFor",
    "KeyScope",
    "KeyScopePermissions",
    "Levels",
    "LinkContactRequest",
    "LinkContactResult",
    "ListAgentsResult",
    "ListCampaignsResult",
    "ListChannelConnectionsIsActive",
    "ListChannelDeliveriesStatus",
    "ListChannelsResult",
    "ListConnectionsResult",
    "ListContactsResult",
    "ListContactsType",
    "ListConversationsResult",
    "ListConversationsStatus",
    "ListDeliveriesResult",
    "ListDeploymentsEnvironment",
    "ListDeploymentsResult",
    "ListDeploymentsStatus",
    "ListedFile",
    "ListErasuresResult",
    "ListEventsOrder",
    "ListEventsResult",
    "ListHumanAgentsResult",
    "ListInteractionsResult",
    "ListInteractionsStatus",
    "ListMessagesResult",
    "ListMessagesStatus",
    "ListPersonExportsResult",
    "ListRetentionResult",
    "ListRolesResult",
    "ListRolesRoleType",
    "ListSecretsResult",
    "ListSessionsChannel",
    "ListSessionsResult",
    "ListSessionsStatus",
    "ListToolSecretsEnvironment",
    "ListTransfersResult",
    "ListUserRolesResult",
    "ListVersionsResult",
    "LookupContactIdentityType",
    "Manifest",
    "ManifestMetadata",
    "ManifestSpec",
    "Metrics",
    "MetricsBucketsItem",
    "ModelCallFigures",
    "ModelCost",
    "ModelInSession",
    "ModelsResult",
    "ModelsResultObject",
    "ModelUsageShown",
    "NoteConversationRequest",
    "NoteConversationRequestMetaInfo",
    "NoteConversationResult",
    "NoteConversationResultMetaInfo",
    "OpenAIAssistantMessage",
    "OpenAIAssistantMessageRole",
    "OpenAIChoice",
    "OpenAIChoiceFinishReason",
    "OpenAICompletion",
    "OpenAICompletionObject",
    "OpenAIFault",
    "OpenAIFaultType",
    "OpenAIFunctionCall",
    "OpenAIMessage",
    "OpenAIMessageRole",
    "OpenAIMetadata",
    "OpenAIModel",
    "OpenAIModelObject",
    "OpenAIRefusal",
    "OpenAIRequest",
    "OpenAIRequestModalitiesItem",
    "OpenAIResponseFormat",
    "OpenAIResponseFormatType",
    "OpenAIStreamOptions",
    "OpenAITool",
    "OpenAIToolCall",
    "OpenAIToolCallType",
    "OpenAIToolType",
    "OpenAIUsage",
    "Pagination",
    "Payload",
    "PayloadContent",
    "PersonExport",
    "PersonExportStreams",
    "PostAsyncRequest",
    "PostAsyncResult",
    "PresenceRequest",
    "PresenceRequestOnlineStatusType",
    "ProjectSettings",
    "PromoteRequest",
    "PromoteRequestTargetEnvironment",
    "QueueAgent",
    "QueueOfAgent",
    "RecordedPlay",
    "RecordedSuite",
    "RecordedSuiteCasesItem",
    "RecordResult",
    "Refusal",
    "Replay",
    "ReplayDifference",
    "ReplayedEvent",
    "ReplayedEventData",
    "ReplayRequest",
    "ReplayRequestVersions",
    "ReplayResult",
    "ReplayVersions",
    "RespondingAgent",
    "RespondingAgentDestinationType",
    "RespondingAgentStatus",
    "ResponseMeta",
    "RetentionResult",
    "RetryDeliveryResult",
    "RevokedKey",
    "RevokedKeyStatus",
    "RevokeKeyResult",
    "RoleOfUser",
    "RtcCapabilitiesResult",
    "RtcTokenRequest",
    "RtcTokenResult",
    "RunAgentInput",
    "RunRequest",
    "RunRequestEnvironment",
    "SaidMessage",
    "SaveAgentRequest",
    "SavedAgentResult",
    "ScopeResult",
    "SearchExportFeature",
    "SearchExportFeatureFeature",
    "SearchExportFeatureStatus",
    "SearchExportFile",
    "SearchExportJob",
    "SearchExportJobStatus",
    "SearchExportRequest",
    "SearchExportRequestFeaturesItem",
    "SearchExportResult",
    "SearchExportResultStatus",
    "SecretResult",
    "SendRequest",
    "SendRequestMetadata",
    "SendRequestOnBusy",
    "SessionAnalysisSeverity",
    "SessionBegun",
    "SessionDetail",
    "SessionDetailStatus",
    "SessionDetailVersions",
    "SessionEndResult",
    "SessionFigures",
    "SessionMetrics",
    "SessionMetricsByType",
    "SessionMetricsResult",
    "SessionStatus",
    "SessionStatusStatus",
    "SessionSummary",
    "SessionSummaryStatus",
    "SessionTag",
    "SessionTracesInclude",
    "SetRetentionRequest",
    "SettingsBudgets",
    "SettingsLanguages",
    "SettingsLimits",
    "SettingsModels",
    "SettingsModelsDefaultTier",
    "SettingsSessions",
    "SettingsTiers",
    "ShownCall",
    "ShownUsage",
    "Sounded",
    "Span",
    "SpanKind",
    "StaffRole",
    "StaffRolePermissions",
    "StaffRoleRoleType",
    "StaffUser",
    "StepDetails",
    "StepDifference",
    "SuiteShown",
    "SuitesResult",
    "SummarizeAgainResult",
    "Suspension",
    "TagInput",
    "TakenOver",
    "TakeOverRequest",
    "TakeOverResult",
    "TapeOut",
    "TestContext",
    "TestContextGatherValues",
    "TestContextSessionVariables",
    "TestContextToolMocksItem",
    "TestRun",
    "TestRunResult",
    "TestRunResultStatus",
    "TestRunStatus",
    "TextMessage",
    "TextMessageStatus",
    "TimeRange",
    "ToolCallFigures",
    "ToolInSession",
    "ToolSecret",
    "ToolSecretEnvironment",
    "TracedEvent",
    "TracedEventData",
    "TraceEvent",
    "TraceEventData",
    "TracesResult",
    "TranscribeAgainResult",
    "TranscribeAgainResultTranscriptionStatus",
    "TranscriptMessage",
    "TranscriptMessageRole",
    "TranscriptResult",
    "Transfer",
    "TransferNotification",
    "TransferNotificationStatus",
    "TransferStatus",
    "TriggerCampaignCampaignType",
    "TriggerCampaignRequest",
    "TriggerCampaignResult",
    "TriggerCampaignResultMessage",
    "TriggerCampaignResultStatus",
    "TriggerCampaignTrigger",
    "UpdateHumanAgentRequest",
    "UpdateScopeRequest",
    "UpdateScopeRequestPermissions",
    "UpdateSmsCampaignCampaignType",
    "UsageSummary",
    "UseRequest",
    "UseRequestAction",
    "UseResult",
    "UseResultData",
    "Version",
    "VersionResult",
    "VersionsResult",
    "VersionTextResult",
    "VoiceCapabilitiesResult",
    "VoiceHour",
    "VoiceHourlyResult",
    "VoicemailAuthor",
    "VoicemailAuthorType",
    "VoicemailChannel",
    "VoicemailComponent",
    "VoicemailComponentCT",
    "VoicemailFile",
    "VoicemailFileTranscriptionStatus",
    "VoicemailMessage",
    "VoicemailMessageStatus",
    "VoicemailMessageType",
    "VoicemailResult",
    "VoicemailResultStatus",
    "VoicemailText",
    "VoiceSummary",
    "VoiceSummaryResult",
    "VoiceTokenRequest",
    "VoiceTokenResult",
    "WidgetConfig",
    "WidgetConfigMode",
    "WidgetConfigPosition",
    "WidgetConfigResult",
    "WidgetConfigTheme",
    "WidgetDimension",
    "WidgetDimensionType",
    "WidgetInitRequest",
    "WidgetInitResult",
    "WidgetMetric",
    "WidgetMetricFunction",
    "WidgetMetricType",
    "WidgetPermissions",
    "WidgetResult",
    "WidgetResultProperties",
    "WidgetResultType",
    "WidgetRows",
    "WidgetRowsMetaData",
    "WidgetRowsQueryResponseItem",
    "WidgetSQLQuery",
    "WithPeople",
)
