import type { OutboxMessage } from "./queue.ts";

/** The content of a message, independent of its channel. `id` is the same at every try, so receivers can drop duplicates. */
export interface Outgoing {
	id: string;
	about: string;
	message: OutboxMessage;
	createdAtMs: number;
	/** Address of this installation, without a slash at its end. */
	source: string;
	/** The full URL of the message's link. */
	url: string;
}

/** The body of a generic webhook. */
export function webhookBody({ id, about, message, createdAtMs, url }: Outgoing): string {
	const type = about.split(":", 1)[0];
	const { title, text, facts } = message;
	return JSON.stringify({ id, type, about, title, text, facts, url, createdAt: new Date(createdAtMs).toISOString() });
}

/** Media type of a CloudEvent in structured mode. */
export const CLOUDEVENT_TYPE = "application/cloudevents+json; charset=utf-8";

/** A CloudEvent 1.0 in structured mode: https://github.com/cloudevents/spec/blob/v1.0.2/cloudevents/formats/json-format.md */
export function cloudEventBody({ id, about, message, createdAtMs, source, url }: Outgoing): string {
	const { title, text, facts } = message;
	const [kind = "message"] = about.split(":", 1);
	const { rule } = facts;
	return JSON.stringify({
		specversion: "1.0",
		id,
		source: `${source}/`,
		type: typeof rule === "string" ? `dev.spillway.${kind}.${rule}` : `dev.spillway.${kind}`,
		subject: about,
		time: new Date(createdAtMs).toISOString(),
		datacontenttype: "application/json",
		data: { title, text, facts, url },
	});
}

/**
 * Slack's format, which Mattermost, Rocket.Chat and others accept too:
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
