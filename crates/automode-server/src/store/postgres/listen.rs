//! News of other replicas.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::broadcast;
use tokio_postgres::AsyncMessage;

use super::super::StoreChange;
use super::CHANNEL;
use super::pool::Pool;

/// Passes on what other replicas announce, and everything once after a lost connection.
pub async fn listen(pool: Arc<Pool>, changes: broadcast::Sender<StoreChange>) {
    loop {
        if let Ok((client, mut connection)) = pool.dial().await {
            let heard = changes.clone();
            let reading = tokio::spawn(async move {
                while let Some(Ok(message)) =
                    std::future::poll_fn(|context| connection.poll_message(context)).await
                {
                    if let AsyncMessage::Notification(note) = message
                        && let Some(change) = StoreChange::read(note.payload())
                    {
                        let _ = heard.send(change);
                    }
                }
            });
            if client
                .batch_execute(&format!("LISTEN {CHANNEL}"))
                .await
                .is_ok()
            {
                let _ = reading.await;
            }
        }
        tokio::time::sleep(Duration::from_millis(500)).await;
    }
}
