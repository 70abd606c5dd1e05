//! A session: requests and notifications.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, ClientCapabilities, CompleteRequestParams, CompleteResult,
    CompletionInfo, CustomRequest, CustomResult, ErrorCode, ErrorData, GetPromptRequestParams,
    GetPromptResponse, GetPromptResult, Implementation, InitializeRequestParams, InitializeResult,
    ListPromptsResult, ListResourceTemplatesResult, ListResourcesResult, ListToolsResult,
    PaginatedRequestParams, PromptMessage, ReadResourceRequestParams, ReadResourceResponse,
    ReadResourceResult, Role, ServerCapabilities, ServerConfig, SubscribeRequestParams, SubscriptionFilter,
    TASKS_EXTENSION_ID, UnsubscribeRequestParams,
};
use rmcp::service::{NotificationContext, RequestContext, SubscriptionContext};
use rmcp::{RoleServer, ServerHandler};
use serde_json::{Value, json};
use tokio::sync::{broadcast, watch};

use super::early::Started;
use super::hub::{self, Hub};
use super::notify::notify;
use super::redirect::{DirectCall, DirectTaskRequest};
use super::{convert, foreign, foreign_result};
use crate::mcp::changes::Changes;
use crate::mcp::conversation::Conversation;
use crate::mcp::instructions::instructions;
use crate::mcp::page::page;
use crate::mcp::prompts;
use crate::mcp::resources::{ResourceView, TEMPLATES};

/// The maximum number of subscriptions of a session.
const MAX_SUBSCRIPTIONS: usize = 1000;

/// A session.
#[derive(Debug)]
pub(super) struct Handler {
    hub: Arc<Hub>,
    subscribed: Arc<Mutex<BTreeSet<String>>>,
    /// The changes since the session began; `None` once they are forwarded.
    changes: Mutex<Option<broadcast::Receiver<Arc<Changes>>>>,
    /// The conversation of a session; requests without a session share one.
    conversation: Arc<OnceLock<Conversation>>,
    /// Closed with the session.
    alive: watch::Sender<()>,
}

impl Handler {
    pub(super) fn new(hub: Arc<Hub>) -> Self {
        let changes = Mutex::new(Some(hub.changes()));
        let conversation = Arc::default();
        Self { hub, subscribed: Arc::default(), changes, conversation, alive: watch::Sender::new(()) }
    }

    /// Returns the conversation, which begins with the session.
    pub(super) fn begun_conversation(&self) -> Arc<OnceLock<Conversation>> {
        Arc::clone(&self.conversation)
    }

    /// Returns the id of the conversation.
    fn conversation(&self) -> String {
        self.conversation.get().unwrap_or(&self.hub.shared).id().to_owned()
    }

    /// Asks a server about a task that a call has returned.
    async fn ask_about_task(
        &self,
        request: DirectTaskRequest,
        context: &RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        if !foreign::accepts_tasks(context) {
            let required = ClientCapabilities::builder().enable_tasks().build();
            return Err(ErrorData::missing_required_client_capability(required));
        }
        let conversation = self.conversation();
        let start = move |hub: &Hub| foreign::start_task_request(hub, request, conversation);
        let running = self.work(start).await?.map_err(|message| ErrorData::invalid_params(message, None))?;
        let result = running.finish_task_request(context).await?;
        Ok(CustomResult::new(Value::Object(foreign_result::for_revision(result, context))))
    }

    /// Runs file operations on a thread for blocking work.
    async fn work<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Hub) -> T + Send + 'static,
    ) -> Result<T, ErrorData> {
        let hub = Arc::clone(&self.hub);
        let done = tokio::task::spawn_blocking(move || work(&hub)).await;
        done.map_err(|_| ErrorData::internal_error("the work was not finished", None))
    }
}

fn cursor(request: Option<PaginatedRequestParams>) -> Option<String> {
    request.and_then(|request| request.cursor)
}

fn no_resource(uri: &str) -> ErrorData {
    ErrorData::resource_not_found(
        format!("resource `{uri}` does not exist, or is not available to you"),
        Some(json!({"uri": uri})),
    )
}

impl ServerHandler for Handler {
    fn get_info(&self) -> ServerConfig {
        let mut capabilities = ServerCapabilities::builder()
            .enable_completions()
            .enable_prompts()
            .enable_prompts_list_changed()
            .enable_resources()
            .enable_resources_list_changed()
            .enable_resources_subscribe()
            .enable_tools()
            .enable_tool_list_changed()
            .build();
        if self.hub.server.source().is_some() {
            // Servers may return tasks.
            let extensions = capabilities.extensions.get_or_insert_default();
            extensions.insert(TASKS_EXTENSION_ID.to_owned(), serde_json::Map::new());
        }
        let implementation = Implementation::new("minds", env!("CARGO_PKG_VERSION"));
        ServerConfig::new(capabilities)
            .with_server_info(implementation)
            .with_instructions(instructions(&self.hub.server))
    }

    async fn initialize(
        &self,
        request: InitializeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<InitializeResult, ErrorData> {
        let conversation = Conversation::new(&self.hub.server);
        let conversation =
            conversation.map_err(|_| ErrorData::internal_error("the system has no random bytes", None))?;
        // A second handshake does not begin another conversation.
        let _ = self.conversation.set(conversation);
        let result = self.negotiate_initialize(&request);
        context.peer.set_peer_info(request);
        result
    }

    async fn list_tools(
        &self,
        request: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let list = move |hub: &Hub| {
            if let Some(source) = hub.server.source() {
                source.wait_for_tools();
            }
            let tools = hub.tool_list.of(hub.server.tools());
            let page = page("tools", tools.iter().collect(), |tool| &tool.name, cursor(request).as_deref())?;
            let mut result = ListToolsResult::with_all_items(page.items.into_iter().cloned().collect());
            result.next_cursor = page.next;
            Ok(result)
        };
        self.work(list).await?.map_err(convert::bad_cursor)
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let (name, args) = (request.name, Value::Object(request.arguments.unwrap_or_default()));
        let conversation = self.conversation();
        let called = move |hub: &Hub| {
            let answer = hub.server.call(&name, &args, &conversation);
            let answer = answer.ok_or_else(|| hub.server.refuse_unknown(&name))?;
            if !answer.is_refused() && !hub.server.only_reads(&name) {
                hub.check_files();
            }
            Ok(convert::answer(&answer))
        };
        let result: Result<_, String> = self.work(called).await?;
        Ok(result.map_err(|message| ErrorData::invalid_params(message, None))?.into())
    }

    /// Calls a tool of a server.
    async fn on_custom_request(
        &self,
        request: CustomRequest,
        context: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        let method = request.method.clone();
        if let Some(request) = DirectTaskRequest::parse(&request) {
            return self.ask_about_task(request, &context).await;
        }
        let Some(call) = DirectCall::parse(request) else {
            return Err(ErrorData::new(ErrorCode::METHOD_NOT_FOUND, method, None));
        };
        let running = match &call.state {
            Some(state) => self.hub.suspended.resume(state, &call.name, &call.responses),
            None => None,
        };
        let tool = call.name.clone();
        let running = if let Some(running) = running {
            Ok(running)
        } else if let Some(started) = Started::take(&context.extensions) {
            started.map_err(|message| ErrorData::invalid_params(message, None))?
        } else {
            let caller = foreign::Caller {
                conversation: self.conversation(),
                can_elicit: foreign::capability(&context).is_some(),
                accepts_tasks: foreign::accepts_tasks(&context),
            };
            let start = move |hub: &Hub| foreign::start(hub, call, caller);
            self.work(start).await?.map_err(|message| ErrorData::invalid_params(message, None))?
        };
        let result = match running {
            Ok(running) => running.finish(&self.hub, &context).await?,
            Err(refusal) => foreign_result::refusal(tool, refusal),
        };
        Ok(CustomResult::new(Value::Object(foreign_result::for_revision(result, &context))))
    }

    async fn list_resources(
        &self,
        request: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        let list = |hub: &Hub| ResourceView::of(&hub.server, &hub.server.snapshot()).list();
        let list = self.work(list).await?;
        let page = page("resources", list, |resource| &resource.uri, cursor(request).as_deref());
        let page = page.map_err(convert::bad_cursor)?;
        let items = page.items.into_iter().map(convert::resource).collect();
        let mut result = ListResourcesResult::with_all_items(items);
        result.next_cursor = page.next;
        Ok(result)
    }

    async fn list_resource_templates(
        &self,
        request: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        let page = page("templates", TEMPLATES.to_vec(), |template| template.uri, cursor(request).as_deref());
        let page = page.map_err(convert::bad_cursor)?;
        let items = page.items.iter().map(convert::template).collect();
        let mut result = ListResourceTemplatesResult::with_all_items(items);
        result.next_cursor = page.next;
        Ok(result)
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let uri = request.uri.clone();
        let read = move |hub: &Hub| ResourceView::of(&hub.server, &hub.server.snapshot()).read(&uri);
        let content = self.work(read).await?.ok_or_else(|| no_resource(&request.uri))?;
        Ok(ReadResourceResult::new(vec![convert::content(&request.uri, content)]).into())
    }

    async fn list_prompts(
        &self,
        request: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        let prompts = self.work(|hub| prompts::list(&hub.server)).await?;
        let page = page("prompts", prompts, |prompt| prompt.name, cursor(request).as_deref());
        let page = page.map_err(convert::bad_cursor)?;
        let mut result =
            ListPromptsResult::with_all_items(page.items.into_iter().map(convert::prompt).collect());
        result.next_cursor = page.next;
        Ok(result)
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        let prompts = self.work(|hub| prompts::list(&hub.server)).await?;
        let refused = |why: String| ErrorData::invalid_params(why, None);
        let prompt = prompts.iter().find(|prompt| prompt.name == request.name);
        let prompt = prompt.ok_or_else(|| {
            refused(format!("prompt `{}` does not exist, or is not available to you", request.name))
        })?;
        let mut given = BTreeMap::new();
        for (name, value) in request.arguments.unwrap_or_default() {
            let Value::String(value) = value else {
                return Err(refused(format!("`{name}` must be a string")));
            };
            given.insert(name, value);
        }
        let prompt: prompts::Prompt = **prompt;
        let filled = self.work(move |hub| prompts::fill(&hub.server, &prompt, &given)).await?;
        let message = PromptMessage::new_text(Role::User, filled.map_err(refused)?);
        Ok(GetPromptResult::new(vec![message]).with_description(prompt.description).into())
    }

    async fn complete(
        &self,
        request: CompleteRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<CompleteResult, ErrorData> {
        let (name, prefix) = (request.argument.name, request.argument.value);
        let suggest =
            move |hub: &Hub| ResourceView::of(&hub.server, &hub.server.snapshot()).suggest(&name, &prefix);
        let mut values = self.work(suggest).await?;
        let total = u32::try_from(values.len()).ok();
        let has_more = values.len() > CompletionInfo::MAX_VALUES;
        values.truncate(CompletionInfo::MAX_VALUES);
        let completion = CompletionInfo::with_pagination(values, total, has_more);
        let completion = completion.map_err(|error| ErrorData::internal_error(error, None))?;
        Ok(CompleteResult::new(completion))
    }

    async fn subscribe(
        &self,
        request: SubscribeRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        let uri = request.uri.clone();
        let is_there =
            move |hub: &Hub| ResourceView::of(&hub.server, &hub.server.snapshot()).read(&uri).is_some();
        if !self.work(is_there).await? {
            return Err(no_resource(&request.uri));
        }
        let mut subscribed = self.subscribed.lock().unwrap_or_else(PoisonError::into_inner);
        if subscribed.len() >= MAX_SUBSCRIPTIONS {
            return Err(ErrorData::invalid_params("too many subscriptions", None));
        }
        subscribed.insert(request.uri);
        Ok(())
    }

    async fn unsubscribe(
        &self,
        request: UnsubscribeRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.subscribed.lock().unwrap_or_else(PoisonError::into_inner).remove(&request.uri);
        Ok(())
    }

    async fn on_initialized(&self, context: NotificationContext<RoleServer>) {
        let changes = self.changes.lock().unwrap_or_else(PoisonError::into_inner).take();
        let Some(mut changes) = changes else { return };
        let (subscribed, mut alive) = (Arc::clone(&self.subscribed), self.alive.subscribe());
        tokio::spawn(async move {
            loop {
                let changes = tokio::select! {
                    _ = alive.changed() => return,
                    changes = hub::next(&mut changes) => changes,
                };
                let Some(changes) = changes else { return };
                if notify(&context.peer, &changes, &subscribed).await.is_err() {
                    return;
                }
            }
        });
    }

    fn accepted_subscription_filter(&self, requested: &SubscriptionFilter) -> Option<SubscriptionFilter> {
        let mut accepted = requested.clone();
        if let Some(uris) = &mut accepted.resource_subscriptions {
            uris.truncate(MAX_SUBSCRIPTIONS);
        }
        Some(accepted)
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        let mut changes = self.hub.changes();
        loop {
            let changes = tokio::select! {
                () = context.cancelled() => return Ok(()),
                changes = hub::next(&mut changes) => changes,
            };
            let Some(changes) = changes else { return Ok(()) };
            // The sink refuses notifications that were not requested, which is intended.
            let sink = context.sink();
            if changes.tools {
                let _ = sink.notify_tool_list_changed().await;
            }
            if changes.prompts {
                let _ = sink.notify_prompt_list_changed().await;
            }
            if changes.resources {
                let _ = sink.notify_resource_list_changed().await;
            }
            for uri in &changes.updated {
                let _ = sink.notify_resource_updated(uri.clone()).await;
            }
        }
    }
}
