//! Calls that do not pass through the process with the servers, because that has allowed it.

use std::collections::BTreeMap;
use std::sync::Arc;

use minds_state::journal::AuditedCall;
use minds_toolset::{CallClient, Code, ForeignAnswer, ForeignCall, ForeignTool};

use super::calls::Answer;
use super::connection::{Shared, end_refusal};
use super::message::{CallRequest, FailedCall, Request};
use super::relay::Relay;
use crate::client::{CallError, CallLimits};

/// The servers that this process can call itself.
#[derive(Default)]
pub(super) struct Direct {
    relays: BTreeMap<u64, Arc<Relay>>,
    /// The relays of servers, by the server and the conversation; without a conversation, that of all.
    open: BTreeMap<String, BTreeMap<Option<String>, Arc<Relay>>>,
}

impl Direct {
    /// Allows direct calls; returns whether the relay exists.
    fn open(&mut self, relay: u64, server: String, conversation: Option<String>, limits: CallLimits) -> bool {
        let Some(relay) = self.relays.get(&relay) else { return false };
        relay.open(limits);
        self.open.entry(server).or_default().insert(conversation, Arc::clone(relay));
        true
    }

    /// Returns the relay for a call.
    fn find(&self, call: &ForeignCall) -> Option<Arc<Relay>> {
        let relays = self.open.get(&call.tool.server)?;
        let find = |key: &Option<String>| relays.get(key).cloned();
        find(&None).or_else(|| find(&Some(call.conversation.clone())))
    }

    /// Returns a relay, through which no further call is made.
    fn close(&mut self, relay: u64) -> Option<Arc<Relay>> {
        for relays in self.open.values_mut() {
            relays.retain(|_, known| known.number() != relay);
        }
        self.open.retain(|_, relays| !relays.is_empty());
        self.relays.get(&relay).cloned()
    }

    /// Allows no direct calls, because the process with the servers has ended.
    pub(super) fn clear(&mut self) {
        self.open.clear();
    }

    /// Returns the numbers of calls that run.
    pub(super) fn counts(&self) -> BTreeMap<u64, usize> {
        self.relays.iter().map(|(number, relay)| (*number, relay.count())).collect()
    }
}

impl Shared {
    /// Starts a call, and returns its number.
    pub(super) fn call(&self, call: ForeignCall, client: Arc<dyn CallClient>) -> u64 {
        let mut state = self.lock();
        if state.has_ended {
            drop(state);
            client.answer(Err(end_refusal()));
            return 0;
        }
        let relay = state.direct.find(&call);
        let id = state.calls.add_call(client, relay.clone());
        let Some(relay) = relay else {
            self.write(state, &request(id, call));
            return id;
        };
        drop(state);
        if let Err(call) = relay.begin(id, call) {
            self.settle(&relay);
            self.leave_to_worker(id, |id| request(id, *call));
        }
        id
    }

    /// Starts something else that is answered like a call, and returns its number.
    pub(super) fn start(&self, client: Arc<dyn CallClient>, request: impl FnOnce(u64) -> Request) -> u64 {
        let mut state = self.lock();
        if state.has_ended {
            drop(state);
            client.answer(Err(end_refusal()));
            return 0;
        }
        let id = state.calls.add_call(client, None);
        self.write(state, &request(id));
        id
    }

    /// Returns the client of a call that runs.
    pub(super) fn client(&self, id: u64) -> Option<Arc<dyn CallClient>> {
        self.lock().calls.client(id)
    }

    /// Answers a call.
    pub(super) fn answer(&self, id: u64, answer: ForeignAnswer) {
        let answer = self.lock().calls.answer(id, answer);
        answer.into_iter().for_each(Answer::give);
    }

    /// Cancels a direct call.
    pub(super) fn cancel_direct(&self, relay: &Relay, id: u64) {
        // It may have failed just now, and then it is not waited for.
        if let Some(record) = relay.cancel(id) {
            self.records.add(record);
            self.settle(relay);
        }
    }

    /// Reports a direct call that failed to the process with the servers, which answers it. Without an error the connection ended.
    pub(super) fn report_failure(
        &self,
        relay: &Relay,
        id: u64,
        error: Option<CallError>,
        mut record: AuditedCall,
    ) {
        self.send_records();
        let mut state = self.lock();
        if state.calls.leave_to_worker(id) {
            let failed = FailedCall { id, relay: relay.number(), error, record };
            self.write(state, &Request::Failed(Box::new(failed)));
        } else {
            drop(state);
            // It was cancelled, or refused because the process with the servers has ended.
            let code = if error.is_some() { Code::Cancelled } else { Code::ServerUnavailable };
            record.code = Some(code.as_str().into());
            self.records.add(record);
        }
        self.settle(relay);
    }

    /// Lets the process with the servers answer a call, unless that has ended meanwhile and the call is refused already.
    fn leave_to_worker(&self, id: u64, request: impl FnOnce(u64) -> Request) {
        let mut state = self.lock();
        if state.calls.leave_to_worker(id) {
            self.write(state, &request(id));
        }
    }

    /// Sends the records that were gathered.
    pub(super) fn send_records(&self) {
        let calls = self.records.take();
        if !calls.is_empty() {
            self.send(&Request::Record { calls });
        }
    }

    pub(super) fn add_relay(&self, relay: &Arc<Relay>) {
        self.lock().direct.relays.insert(relay.number(), Arc::clone(relay));
    }

    pub(super) fn remove_relay(&self, relay: &Relay) {
        let mut state = self.lock();
        state.direct.close(relay.number());
        state.direct.relays.remove(&relay.number());
    }

    /// Makes calls through a relay.
    pub(super) fn open_relay(
        &self,
        number: u64,
        server: String,
        conversation: Option<String>,
        limits: CallLimits,
    ) {
        let exists = self.lock().direct.open(number, server, conversation, limits);
        if !exists {
            // It has ended.
            self.send(&Request::Closed { relay: number });
        }
    }

    /// Makes no further call through a relay.
    pub(super) fn close_relay(&self, number: u64) {
        let relay = self.lock().direct.close(number);
        match relay {
            Some(relay) => {
                relay.close();
                self.settle(&relay);
            }
            // It has ended, and with it its calls.
            None => self.send(&Request::Closed { relay: number }),
        }
    }

    /// Reports that no call uses a relay any longer if the process with the servers waits for that.
    pub(super) fn settle(&self, relay: &Relay) {
        if relay.take_end() {
            self.send(&Request::Closed { relay: relay.number() });
        }
    }
}

/// Returns the request of a call for the process with the servers.
fn request(id: u64, call: ForeignCall) -> Request {
    let ForeignCall { conversation, caller, tool, arguments, can_elicit, accepts_tasks } = call;
    let ForeignTool { name, server, original, .. } = tool;
    Request::Call(Box::new(CallRequest {
        id,
        conversation,
        caller,
        server,
        tool: name,
        original,
        arguments,
        can_elicit,
        accepts_tasks,
    }))
}
