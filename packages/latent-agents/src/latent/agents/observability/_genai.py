"""Names of OpenTelemetry's conventions for generative AI, as of their release 0.1.0.

They are kept here because the constants of the published package of conventions are deprecated, and
because the conventions themselves are still in development.
"""

AGENT_NAME = "gen_ai.agent.name"
CONVERSATION_ID = "gen_ai.conversation.id"
OPERATION = "gen_ai.operation.name"
PROVIDER = "gen_ai.provider.name"
REQUEST_MODEL = "gen_ai.request.model"
RETRIEVAL_DOCUMENTS = "gen_ai.retrieval.documents"
RETRIEVAL_QUERY = "gen_ai.retrieval.query.text"
SOURCE_ID = "gen_ai.data_source.id"
TIME_TO_FIRST_CHUNK = "gen_ai.response.time_to_first_chunk"
TOOL_ARGUMENTS = "gen_ai.tool.call.arguments"
TOOL_CALL_ID = "gen_ai.tool.call.id"
TOOL_NAME = "gen_ai.tool.name"
TOOL_RESULT = "gen_ai.tool.call.result"
TOOL_TYPE = "gen_ai.tool.type"
TOKENS_CACHE_READ = "gen_ai.usage.cache_read.input_tokens"
TOKENS_CACHE_WRITE = "gen_ai.usage.cache_write.input_tokens"
TOKENS_IN = "gen_ai.usage.input_tokens"
TOKENS_OUT = "gen_ai.usage.output_tokens"

CHAT = "chat"
EXECUTE_TOOL = "execute_tool"
INVOKE_AGENT = "invoke_agent"
RETRIEVAL = "retrieval"

ERROR_TYPE = "error.type"
STEP_NUMBER = "latent.step.number"
STEP_LABEL = "latent.step.label"
CANCELLED = "latent.cancelled"
