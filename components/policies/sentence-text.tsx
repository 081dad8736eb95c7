import { cn } from "#components/ui/cn.ts";
import type { Sentence } from "./params.ts";

/** A rule sentence with its editable parts underlined. */
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
