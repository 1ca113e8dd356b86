//! One blocking connection with a deadline for everything that it waits for.

use std::io::{self, Read, Write};
use std::net::{TcpStream, ToSocketAddrs};
use std::sync::Arc;
use std::time::{Duration, Instant};

use protocol::{ApiKey, Message};

use super::address::Address;
use super::answer::Answer;
use super::error::ClientError;
use super::framing::{FRAME_BYTES_MAX, FrameCutter};
use super::session::{Hello, Session, SessionFault};
use super::versions::Versions;

/// When something must be done, and how long it had.
#[derive(Debug, Clone, Copy)]
pub struct Deadline {
    at: Instant,
    had: Duration,
}

impl Deadline {
    /// So much from now.
    pub fn after(had: Duration) -> Deadline {
        Deadline { at: Instant::now() + had, had }
    }

    /// What is left; `None` when it is over.
    pub fn left(&self) -> Option<Duration> {
        self.at.checked_duration_since(Instant::now()).filter(|left| !left.is_zero())
    }

    /// How long it was.
    pub fn had(&self) -> Duration {
        self.had
    }
}

/// A connection on which versions were agreed.
#[derive(Debug)]
pub struct Connection {
    stream: TcpStream,
    session: Session,
    cutter: FrameCutter,
    broker: Arc<str>,
    /// What the last request was, for the words of an error.
    asked: ApiKey,
}

impl Connection {
    /// Connects and greets. Every address that the name stands for is tried. Looking the name up has the deadline of
    /// the system's resolver.
    pub fn open(
        address: &Address,
        broker: &str,
        client_id: &str,
        deadline: Deadline,
    ) -> Result<Connection, ClientError> {
        let unreachable = |why: String| ClientError::Unreachable { broker: broker.to_owned(), why };
        let stream = connect(address, deadline).map_err(unreachable)?;
        let mut connection = Connection {
            stream,
            session: Session::new(client_id, broker.into()),
            cutter: FrameCutter::new(FRAME_BYTES_MAX),
            broker: broker.into(),
            asked: ApiKey::ApiVersions,
        };
        let mut hello = connection.session.hello();
        loop {
            connection.write(&hello, deadline)?;
            let frame = connection.read_frame(deadline)?;
            match connection.session.on_hello(&frame).map_err(|fault| connection.fault(fault))? {
                Hello::Done => return Ok(connection),
                Hello::Again(again) => hello = again,
            }
        }
    }

    /// Whom it leads to, in words.
    pub fn broker(&self) -> &Arc<str> {
        &self.broker
    }

    /// What the broker serves.
    pub fn versions(&self) -> &Versions {
        self.session.versions().expect("an open connection has agreed on versions")
    }

    /// How many answers are to come.
    pub fn in_flight(&self) -> usize {
        self.session.in_flight()
    }

    /// Asks and waits for the answer, in the best version that is not above `highest`.
    pub fn ask<'a, M: Message<'a>>(
        &mut self,
        request: &M,
        highest: i16,
        deadline: Deadline,
    ) -> Result<Answer, ClientError> {
        assert_eq!(self.in_flight(), 0, "answers come in order");
        self.send(request, highest, deadline)?;
        self.receive(deadline)
    }

    /// Sends a request whose answer [`Connection::receive`] gives later.
    pub fn send<'a, M: Message<'a>>(
        &mut self,
        request: &M,
        highest: i16,
        deadline: Deadline,
    ) -> Result<(), ClientError> {
        let frame = self.session.ask(request, highest).map_err(|fault| self.fault(fault))?;
        self.note::<M>();
        self.write(&frame, deadline)
    }

    /// Sends a request that nobody answers: Produce with acks=0.
    pub fn tell<'a, M: Message<'a>>(
        &mut self,
        request: &M,
        highest: i16,
        deadline: Deadline,
    ) -> Result<(), ClientError> {
        let frame = self.session.tell(request, highest).map_err(|fault| self.fault(fault))?;
        self.note::<M>();
        self.write(&frame, deadline)
    }

    /// Waits for the answer to the oldest request.
    pub fn receive(&mut self, deadline: Deadline) -> Result<Answer, ClientError> {
        assert!(self.in_flight() > 0, "nothing was asked");
        let frame = self.read_frame(deadline)?;
        self.session.on_frame(frame).map_err(|fault| self.fault(fault))
    }

    fn note<'a, M: Message<'a>>(&mut self) {
        self.asked = M::API_KEY.and_then(ApiKey::from_code).unwrap_or(self.asked);
    }

    fn write(&mut self, mut bytes: &[u8], deadline: Deadline) -> Result<(), ClientError> {
        while !bytes.is_empty() {
            let left = deadline.left().ok_or_else(|| self.late(deadline))?;
            self.stream.set_write_timeout(Some(left)).map_err(|error| self.broken(&error))?;
            match self.stream.write(bytes) {
                Ok(0) => return Err(self.broken(&io::ErrorKind::WriteZero.into())),
                Ok(count) => bytes = &bytes[count..],
                Err(error) => self.on_error(&error, deadline)?,
            }
        }
        Ok(())
    }

    fn read_frame(&mut self, deadline: Deadline) -> Result<Vec<u8>, ClientError> {
        loop {
            let left = deadline.left().ok_or_else(|| self.late(deadline))?;
            self.stream.set_read_timeout(Some(left)).map_err(|error| self.broken(&error))?;
            match self.stream.read(self.cutter.room()) {
                Ok(0) => return Err(self.closed()),
                Ok(count) => {
                    let frame = self.cutter.on_bytes(count);
                    let faulty = |fault| ClientError::Frame { broker: self.broker.to_string(), fault };
                    if let Some(frame) = frame.map_err(faulty)? {
                        return Ok(frame);
                    }
                }
                Err(error) => self.on_error(&error, deadline)?,
            }
        }
    }

    /// Decides what an error of the socket means: going on, being late, or a broken connection.
    fn on_error(&self, error: &io::Error, deadline: Deadline) -> Result<(), ClientError> {
        match error.kind() {
            io::ErrorKind::Interrupted => Ok(()),
            io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut => Err(self.late(deadline)),
            _ => Err(self.broken(error)),
        }
    }

    fn late(&self, deadline: Deadline) -> ClientError {
        ClientError::TimedOut { broker: self.broker.to_string(), request: self.asked, after: deadline.had() }
    }

    fn broken(&self, error: &io::Error) -> ClientError {
        ClientError::Broken { broker: self.broker.to_string(), request: self.asked, why: error.to_string() }
    }

    fn closed(&self) -> ClientError {
        let why = "the broker closed it; its log says why".to_owned();
        ClientError::Broken { broker: self.broker.to_string(), request: self.asked, why }
    }

    fn fault(&self, fault: SessionFault) -> ClientError {
        ClientError::Session { broker: self.broker.to_string(), fault }
    }
}

fn connect(address: &Address, deadline: Deadline) -> Result<TcpStream, String> {
    let found = (address.host.as_str(), address.port).to_socket_addrs();
    let found = found.map_err(|error| format!("{}: {error}", address.host))?;
    let mut why = format!("{} has no address", address.host);
    for socket_address in found {
        let Some(left) = deadline.left() else { return Err("the time is over".to_owned()) };
        match TcpStream::connect_timeout(&socket_address, left) {
            Ok(stream) => {
                stream.set_nodelay(true).map_err(|error| error.to_string())?;
                return Ok(stream);
            }
            Err(error) => why = format!("{socket_address}: {error}"),
        }
    }
    Err(why)
}
