import { SECOND_MS } from "../kernel/units.ts";
import { PLAIN_FORMATTERS, type SentenceFormatters } from "./sentence-facts.ts";
import { LABELS, type Role } from "./vocabulary.ts";

/** Number of names shown in full; of a longer list only the first two are shown. */
const NAMED = 3;

/** "Ada or Bo (platform engineer) can approve; half of 12 answers came within 40m." */
export function outlookSentence(
	outlook: { role: Role; people: readonly string[]; medianMs: number | null; answered: number },
	{ duration }: Pick<SentenceFormatters, "duration"> = PLAIN_FORMATTERS,
): string {
	const { people, medianMs, answered } = outlook;
	const role = LABELS[outlook.role].toLowerCase();
	const who =
		people.length === 0
			? `No one else of the role ${role} can approve`
			: people.length > NAMED
				? `${people.slice(0, 2).join(", ")} and ${people.length - 2} others (${role}) can approve`
				: `${people.length === 1 ? people[0] : `${people.slice(0, -1).join(", ")} or ${people.at(-1)}`} (${role}) can approve`;
	if (medianMs === null) return `${who}. No request was answered in the last 90 days.`;
	return `${who}; half of ${answered === 1 ? "the one answer" : `${answered} answers`} came within ${duration(Math.max(medianMs, SECOND_MS))}.`;
}
