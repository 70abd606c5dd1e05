//! A client of one agent: calls with a typed result, and ownership.

use std::time::Duration;

use minds_fleet_bus::{Bus, ClaimCall, ClientEvent, ClientPort, OwnerToken};
use minds_fleet_protocol::methods::Call;
use minds_fleet_protocol::{
    AgentId, Caller, ErrorCode, Failure, Now, Outcome, Request, RequestId, RequestRetry, TakeoverNotice,
    Timeout,
};

/// The longest time for which a client waits at once.
const WAIT: Duration = Duration::from_secs(1);

/// A client of one agent.
///
/// It has one call at a time. What else arrives meanwhile is kept: see [`Client::takeovers`].
pub struct Client {
    agent: AgentId,
    caller: Caller,
    port: Box<dyn ClientPort>,
    timeout: Option<Timeout>,
    clock: fn() -> Now,
    random: fn() -> Result<u64, Failure>,
    token: Option<OwnerToken>,
    takeovers: Vec<TakeoverNotice>,
}

impl Client {
    /// Connects to an agent. Without a timeout, each method has its own.
    ///
    /// # Errors
    ///
    /// Returns `agent.not_found` if the agent does not run.
    pub fn connect(
        bus: &dyn Bus,
        agent: &AgentId,
        caller: &Caller,
        timeout: Option<Timeout>,
    ) -> Result<Self, Failure> {
        let clock = crate::clock::now;
        Ok(Self {
            agent: agent.clone(),
            caller: caller.clone(),
            port: bus.connect(agent, caller, clock())?,
            timeout,
            clock,
            random: crate::clock::random,
            token: None,
            takeovers: Vec::new(),
        })
    }

    /// Returns the agent.
    pub fn agent(&self) -> &AgentId {
        &self.agent
    }

    /// Returns whether the agent was claimed, and not released.
    pub fn is_owner(&self) -> bool {
        self.token.is_some()
    }

    /// Calls a method and waits for its result.
    ///
    /// A request that did not arrive is sent once more with the same id, so that it is never performed twice.
    ///
    /// # Errors
    ///
    /// Returns the failure of the agent or the transport.
    pub fn call<C: Call>(&mut self, call: &C) -> Result<C::Value, Failure> {
        let timeout = self.timeout.unwrap_or_else(|| C::METHOD.default_timeout());
        let request = Request {
            req_id: RequestId::new((self.random)()?),
            method: C::METHOD.name().to_owned(),
            params: call.encode()?,
            ts: (self.clock)().time,
            caller: self.caller.clone(),
            timeout: Some(timeout),
        };
        let mut retry = RequestRetry::default();
        let value = loop {
            match self.exchange(&request) {
                Ok(value) => break value,
                Err(failure) => {
                    let now = (self.clock)().clock;
                    let until = retry.fail(failure.code(), now);
                    if until.is_none_or(|until| until <= now) {
                        return Err(failure);
                    }
                }
            }
        };
        value.decode().map_err(|error| {
            let message =
                format!("cannot read the answer of `{}` to `{}`: {error}", self.agent, request.method);
            Failure::new(ErrorCode::HandlerError, message)
        })
    }

    /// Sends a request once and waits for its result.
    fn exchange(&mut self, request: &Request) -> Result<minds_fleet_protocol::Json, Failure> {
        self.port.send(request.clone(), (self.clock)())?;
        loop {
            match self.receive(WAIT)? {
                Some(ClientEvent::Response(response)) if response.req_id == request.req_id => {
                    return match response.outcome {
                        Outcome::Success { value, .. } => Ok(value),
                        Outcome::Failure(failure) => Err(failure),
                    };
                }
                Some(_) | None => {}
            }
        }
    }

    /// Claims the agent, and waits until it is decided.
    ///
    /// # Errors
    ///
    /// Returns `ownership.denied` with the owner if the agent has another one, and failures of the transport.
    pub fn claim(&mut self, is_takeover: bool) -> Result<(), Failure> {
        let claim = ClaimCall { is_takeover, resume: self.token.clone() };
        self.port.claim(claim, (self.clock)())?;
        loop {
            if let Some(ClientEvent::Claim(result)) = self.receive(WAIT)? {
                self.token = Some(result?);
                return Ok(());
            }
        }
    }

    /// Releases the agent, if it was claimed.
    ///
    /// # Errors
    ///
    /// Returns failures of the transport; then the ownership expires.
    pub fn release(&mut self) -> Result<(), Failure> {
        match self.token.take() {
            Some(_) => self.port.release((self.clock)()),
            None => Ok(()),
        }
    }

    /// Looks for what has arrived without waiting.
    ///
    /// # Errors
    ///
    /// Returns `agent.not_found` if the agent has ended.
    pub fn poll(&mut self) -> Result<(), Failure> {
        while self.receive(Duration::ZERO)?.is_some() {}
        Ok(())
    }

    /// Returns the takeovers by other clients that have arrived since the last call.
    pub fn takeovers(&mut self) -> Vec<TakeoverNotice> {
        std::mem::take(&mut self.takeovers)
    }

    fn receive(&mut self, wait: Duration) -> Result<Option<ClientEvent>, Failure> {
        let event = self.port.receive((self.clock)(), wait)?;
        if let Some(ClientEvent::Takeover(notice)) = &event {
            self.takeovers.push(notice.clone());
        }
        Ok(event)
    }
}
