import type { Channel } from "#components/budgets/params.ts";
import type { Inputs } from "#components/trpc/outputs.ts";
import { CHANNEL_TOPICS, type ChannelTopic, isSigned } from "#server/domain/alert.ts";

/** Form state of a channel. The webhook URL and key are empty until replaced. */
export interface ChannelDraft {
	name: string;
	target: string;
	signingKey: string;
	team: string;
	/** Empty: not limited to a pipeline. */
	pipeline: string;
	digest: Channel["digest"];
	topics: readonly ChannelTopic[];
}

/** Parses a typed list of addresses. */
export const addressesOf = (text: string): string[] => text.split(/[\s,;]+/).filter(Boolean);
/** A typed name; null when it is empty. */
export const nameOrNull = (text: string): string | null => (text.trim() === "" ? null : text.trim());

export function draftOf(channel: Channel): ChannelDraft {
	return {
		name: channel.name,
		target: channel.kind === "email" ? channel.target : "",
		signingKey: "",
		team: channel.team ?? "",
		pipeline: channel.pipeline ?? "",
		digest: channel.digest,
		topics: CHANNEL_TOPICS.filter((topic) => channel.topics.includes(topic)),
	};
}

/** The edited fields as the service takes them; null if nothing changed. */
export function changesOf(channel: Channel, draft: ChannelDraft): Inputs["channel"]["update"] | null {
	const [name, target, signingKey] = [draft.name.trim(), draft.target.trim(), draft.signingKey.trim()];
	const [team, pipeline] = [nameOrNull(draft.team), nameOrNull(draft.pipeline)];
	const before = draftOf(channel);
	const changes = {
		...(name === channel.name ? {} : { name }),
		...(team === channel.team ? {} : { team }),
		...(pipeline === channel.pipeline ? {} : { pipeline }),
		...(draft.digest === channel.digest ? {} : { digest: draft.digest }),
		...(sameTopics(draft.topics, before.topics) ? {} : { topics: [...draft.topics] }),
		...(channel.kind === "email" && addressesOf(target).join() !== addressesOf(channel.target).join()
			? { recipients: addressesOf(target) }
			: {}),
		...(channel.kind !== "email" && target !== "" ? { url: target } : {}),
		...(isSigned(channel.kind) && signingKey !== "" ? { signingKey } : {}),
	};
	return Object.keys(changes).length === 0 ? null : { id: channel.id, ...changes };
}

function sameTopics(a: readonly ChannelTopic[], b: readonly ChannelTopic[]): boolean {
	return a.length === b.length && a.every((topic) => b.includes(topic));
}
