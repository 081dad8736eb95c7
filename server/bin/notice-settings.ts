import type { NoticeSettings } from "#server/control-loop/notices.ts";
import { type Env, publicUrl } from "#server/env.ts";
import { parseAllowance } from "#server/kernel/outgoing.ts";

/** How messages are sent from the installation, by the scheduler and, while none leads, by web servers. */
export function noticeSettings(settings: Env): NoticeSettings {
	return {
		secret: settings.SPILLWAY_SECRET,
		smtpUrl: settings.SPILLWAY_SMTP_URL ?? null,
		mailFrom: settings.SPILLWAY_MAIL_FROM,
		publicUrl: publicUrl(settings),
		allowance: parseAllowance(settings.SPILLWAY_OUTGOING_HOSTS),
	};
}
