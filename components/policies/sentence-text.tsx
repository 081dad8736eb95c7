import { cn } from "#components/ui/cn.ts";
import type { Sentence } from "./params.ts";

/** A rule in words; what could be changed in it is underlined. */
export function SentenceText({ sentence, className }: { sentence: Sentence; className?: string }) {
	return (
		<span className={cn("text-pretty", className)}>
			{sentence.map((part, i) =>
				part.value ? (
					// biome-ignore lint/suspicious/noArrayIndexKey: the pieces of a sentence have no name but their place.
					<b key={i} className="font-semibold text-ink underline decoration-line-strong decoration-dotted underline-offset-4">
						{part.text}
					</b>
				) : (
					part.text
				),
			)}
		</span>
	);
}
