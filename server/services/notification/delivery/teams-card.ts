import type { Outgoing } from "./payload.ts";

/**
 * A message for a webhook of Microsoft Teams (Workflows, "Send webhook alerts to a channel"): one Adaptive Card.
 * https://learn.microsoft.com/microsoftteams/platform/webhooks-and-connectors/how-to/add-incoming-webhook
 * Text runs are not Markdown, so names in a message cannot become links or formatting.
 */
export function teamsBody({ message, url, id }: Outgoing): string {
	const content = {
		$schema: "http://adaptivecards.io/schemas/adaptive-card.json",
		type: "AdaptiveCard",
		version: "1.4",
		body: [
			paragraph({ text: message.title, weight: "Bolder", size: "Medium" }),
			...message.text.split("\n").flatMap((line) => (line === "" ? [] : [paragraph({ text: line })])),
			paragraph({ text: id, isSubtle: true, size: "Small" }),
		],
		actions: [{ type: "Action.OpenUrl", title: "Open in Spillway", url }],
	};
	const contentType = "application/vnd.microsoft.card.adaptive";
	return JSON.stringify({ type: "message", attachments: [{ contentType, contentUrl: null, content }] });
}

function paragraph(run: { text: string; weight?: string; size?: string; isSubtle?: boolean }) {
	return { type: "RichTextBlock", inlines: [{ type: "TextRun", ...run }] };
}
