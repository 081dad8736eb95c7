import { createTransport } from "nodemailer";
import { mailText, type Outgoing } from "./payload.ts";

export interface MailSettings {
	smtpUrl: string | null;
	from: string;
	timeoutMs: number;
}

/**
 * One mail to all recipients of a channel.
 * @throws Error with a sentence for the log.
 */
export async function sendMail(settings: MailSettings, recipients: readonly string[], outgoing: Outgoing): Promise<void> {
	if (settings.smtpUrl === null) throw new Error("No mail server is configured. Set SPILLWAY_SMTP_URL and SPILLWAY_MAIL_FROM.");
	const { timeoutMs } = settings;
	const transport = createTransport({
		url: settings.smtpUrl,
		connectionTimeout: timeoutMs,
		greetingTimeout: timeoutMs,
		socketTimeout: timeoutMs,
		disableFileAccess: true,
		disableUrlAccess: true,
	});
	try {
		await transport.sendMail({
			from: settings.from,
			to: [...recipients],
			subject: outgoing.message.title,
			text: mailText(outgoing),
			// The same at every try, so that mail servers and readers can drop duplicates.
			messageId: `<${outgoing.id}@spillway>`,
			headers: { "X-Spillway-Delivery": outgoing.id, "Auto-Submitted": "auto-generated" },
		});
	} catch (error) {
		throw new Error(`The mail server rejected the message: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
	} finally {
		transport.close();
	}
}
