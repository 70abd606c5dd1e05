//! Requests to the model, and its answers.

use minds_fleet_protocol::{ContextBudget, ErrorCode, Failure, Json};
use minds_model_client::{Jitter, ModelError, ModelRequest};

use super::Worker;
use super::activity::Activity;
use super::turns::Work;
use crate::config::{AgentConfig, ModelConfig};
use crate::context::{estimate, messages, system};
use crate::turn::TurnEvent;

impl Worker<'_> {
    /// Reads the files for the next step, and measures its context.
    pub(super) fn prepare(&mut self, work: &mut Work<'_>) -> TurnEvent {
        match self.load() {
            Ok(config) => {
                let request = self.request(&config);
                work.config = Some(config);
                self.measure(&request);
                TurnEvent::Prepared(self.pressure())
            }
            Err(failure) => {
                self.fail(work, &failure);
                TurnEvent::Failed
            }
        }
    }

    /// Sends the request.
    pub(super) fn ask(&mut self, work: &mut Work<'_>) -> Option<TurnEvent> {
        let config = work.config.as_ref()?;
        let request = self.request(config);
        let begun = match &config.model {
            None => Err(Failure::new(ErrorCode::ModelUnavailable, "the agent has no model")),
            Some(model) => self.models.get(model).map(|model| model.begin(&request)),
        };
        match begun {
            Ok(Ok(answer)) => {
                work.activity = Activity::Answer(answer);
                work.estimated = estimate(&request);
                None
            }
            Ok(Err(error)) => Some(self.model_failed(work, &error)),
            Err(failure) => {
                self.fail(work, &failure);
                Some(TurnEvent::ModelFailed { is_retryable: false, retry_after: None, jitter: Jitter::NONE })
            }
        }
    }

    /// Returns the request for the current history.
    pub(super) fn request(&mut self, config: &AgentConfig) -> ModelRequest {
        let tools = self.tools.list();
        let store = self.shared.store();
        let (name, window, parameters) = match &config.model {
            Some(ModelConfig { name, window, parameters, .. }) => (name.clone(), *window, parameters.clone()),
            None => Default::default(),
        };
        ModelRequest {
            model: name,
            system: system(&config.prompt.effective, store.summaries(), window),
            messages: messages(store.recent_history()),
            tools,
            parameters,
        }
    }

    /// Measures the context of a request.
    pub(super) fn measure(&mut self, request: &ModelRequest) {
        let estimated = estimate(request);
        let tokens = match self.usage {
            Some((counted, at)) => counted.saturating_add(estimated.saturating_sub(at)),
            None => estimated,
        };
        let mut status = self.shared.status();
        status.context = ContextBudget { tokens, ..status.context };
    }

    /// Publishes why the model failed.
    pub(super) fn model_failed(&mut self, work: &Work<'_>, error: &ModelError) -> TurnEvent {
        let mut detail = serde_json::Map::from_iter([("provider".to_owned(), error.provider.clone().into())]);
        detail.extend(error.endpoint.clone().map(|endpoint| ("endpoint".to_owned(), endpoint.into())));
        detail.extend(error.status().map(|status| ("status".to_owned(), status.into())));
        let failure = Failure {
            detail: Json::from_value(&detail).ok(),
            ..Failure::new(ErrorCode::ModelUnavailable, error.to_string())
        };
        self.fail(work, &failure);
        // Without random numbers, the pauses are as they are.
        let jitter = minds_process::random::<1>().map_or(Jitter::NONE, |[byte]| Jitter::new(byte));
        TurnEvent::ModelFailed {
            is_retryable: error.is_retryable(),
            retry_after: error.retry_after(),
            jitter,
        }
    }
}
