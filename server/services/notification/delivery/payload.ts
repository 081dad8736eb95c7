import type { OutboxMessage } from "./queue.ts";

/** The content of a message, independent of its channel. `id` is the same at every try, so receivers can drop duplicates. */
export interface Outgoing {
	id: string;
	about: string;
	message: OutboxMessage;
	createdAtMs: number;
	/** The whole address behind the message's link. */
	url: string;
}

/** The body of a generic webhook. */
export function webhookBody({ id, about, message, createdAtMs, url }: Outgoing): string {
	const type = about.split(":", 1)[0];
	const { title, text, facts } = message;
	return JSON.stringify({ id, type, about, title, text, facts, url, createdAt: new Date(createdAtMs).toISOString() });
}

/**
 * Slack's form, which Mattermost, Rocket.Chat and others take too:
 * https://docs.slack.dev/messaging/sending-messages-using-incoming-webhooks
 */
export function slackBody({ message, url, id }: Outgoing): string {
	const title = escapeSlack(message.title);
	return JSON.stringify({
		text: `${title}: ${escapeSlack(message.text)}`,
		blocks: [
			{ type: "section", text: { type: "mrkdwn", text: `*${title}*\n${escapeSlack(message.text)}` } },
			{ type: "context", elements: [{ type: "mrkdwn", text: `<${url}|Open in Spillway> · ${id}` }] },
		],
	});
}

/** Slack's three control characters; anything else in a message is plain text there. */
function escapeSlack(text: string): string {
	return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

export function mailText({ message, url, id }: Outgoing): string {
	return `${message.title}\n\n${message.text}\n\n${url}\n\nSpillway, message ${id}\n`;
}
