import type { Channel } from "#components/budgets/params.ts";
import type { Inputs } from "#components/trpc/outputs.ts";
import { CHANNEL_TOPICS, type ChannelTopic } from "#server/domain/alert.ts";

/** A channel as its dialog holds it; the address and the key of a webhook are empty until somebody types new ones. */
export interface ChannelDraft {
	name: string;
	target: string;
	signingKey: string;
	team: string;
	topics: readonly ChannelTopic[];
}

/** What people type as a list of addresses. */
export const addressesOf = (text: string): string[] => text.split(/[\s,;]+/).filter(Boolean);
/** null is of no team alone: everybody's. */
export const teamOf = (text: string): string | null => (text.trim() === "" ? null : text.trim());

export function draftOf(channel: Channel): ChannelDraft {
	return {
		name: channel.name,
		target: channel.kind === "email" ? channel.target : "",
		signingKey: "",
		team: channel.team ?? "",
		topics: CHANNEL_TOPICS.filter((topic) => channel.topics.includes(topic)),
	};
}

/** Only what differs from the channel, as the service takes it; null when nothing does. */
export function changesOf(channel: Channel, draft: ChannelDraft): Inputs["channel"]["update"] | null {
	const [name, target, signingKey, team] = [draft.name.trim(), draft.target.trim(), draft.signingKey.trim(), teamOf(draft.team)];
	const before = draftOf(channel);
	const changes = {
		...(name === channel.name ? {} : { name }),
		...(team === channel.team ? {} : { team }),
		...(sameTopics(draft.topics, before.topics) ? {} : { topics: [...draft.topics] }),
		...(channel.kind === "email" && addressesOf(target).join() !== addressesOf(channel.target).join()
			? { recipients: addressesOf(target) }
			: {}),
		...(channel.kind !== "email" && target !== "" ? { url: target } : {}),
		...(channel.kind === "webhook" && signingKey !== "" ? { signingKey } : {}),
	};
	return Object.keys(changes).length === 0 ? null : { id: channel.id, ...changes };
}

function sameTopics(a: readonly ChannelTopic[], b: readonly ChannelTopic[]): boolean {
	return a.length === b.length && a.every((topic) => b.includes(topic));
}
