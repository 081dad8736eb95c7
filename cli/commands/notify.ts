import { notificationsSchema } from "#server/contract/notification.ts";
import { DIGEST_MINUTES, WORK_EVENTS, type WorkEvent } from "#server/domain/notice.ts";
import { badInput } from "../args.ts";
import { readAs } from "../client.ts";
import type { Command } from "../command.ts";
import { EXIT } from "../exit.ts";

const isEvent = (text: string): text is WorkEvent => (WORK_EVENTS as readonly string[]).includes(text);

export const notify: Command = {
	name: "notify",
	usage: "[EVENT … | off] [--every MINUTES]",
	summary: "choose which events of your jobs are emailed to you",
	details: `Events: ${WORK_EVENTS.join(", ")}. Without arguments it shows the settings.`,
	options: {
		every: {
			value: "MINUTES",
			help: `collect events for this long into one email, ${DIGEST_MINUTES.min} to ${DIGEST_MINUTES.max} (default: ${DIGEST_MINUTES.default})`,
		},
	},
	positionals: { min: 0, max: WORK_EVENTS.length, name: "EVENT" },
	examples: ["spillway notify", "spillway notify finished failed --every 15", "spillway notify off"],
	async run({ args, client, io, json }) {
		const words = args.positionals;
		const digestMinutes = args.wholeNumber("every", DIGEST_MINUTES);
		const unknown = words.find((word) => !isEvent(word));
		if (unknown !== undefined && (unknown !== "off" || words.length > 1))
			throw badInput(`"${unknown}" is not an event. Use ${WORK_EVENTS.join(", ")}; or off alone.`);
		const change = {
			...(words.length > 0 && { events: words.filter(isEvent) }),
			...(digestMinutes !== undefined && { digestMinutes }),
		};
		const answer = Object.keys(change).length === 0 ? await client.get("/notifications") : await client.put("/notifications", change);
		if (json) {
			io.out(`${answer.text}\n`);
			return EXIT.done;
		}
		const { email, events, digestMinutes: every, lastMail } = readAs(notificationsSchema, answer, "settings");
		io.out(events.length === 0 ? "Email is off\n" : `${events.join(", ")}: to ${email}, at most one email every ${every} minutes\n`);
		if (lastMail) io.out(`Last email: ${lastMail.state} ${lastMail.at}, ${lastMail.title}${lastMail.error ? `. ${lastMail.error}` : ""}\n`);
		return EXIT.done;
	},
};
