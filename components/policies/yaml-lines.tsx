import { lineAnchor } from "#components/policies/params.ts";
import { type YamlKind, yamlTokens } from "#components/policies/yaml.ts";
import { cn } from "#components/ui/cn.ts";

const LOOK: Record<YamlKind, string> = {
	key: "text-owned-ink",
	comment: "text-ink-3",
	text: "text-carbon-ink",
	number: "text-cloud-ink",
	plain: "",
};

type YamlLinesProps = {
	source: string;
	/** Highlighted lines, 1-based and inclusive. */
	marked: { from: number; to: number } | null;
	/** Called on hover of a line. */
	onPoint: (line: number) => void;
};

/** Read-only YAML; line numbers are not copied and long lines wrap with indentation. */
export function YamlLines({ source, marked, onPoint }: YamlLinesProps) {
	const lines = source.replace(/\n$/, "").split("\n");
	return (
		<pre className="font-mono text-xs leading-5">
			{lines.map((line, i) => {
				const n = i + 1;
				const on = marked !== null && marked.from <= n && n <= marked.to;
				const hang = `${line.length - line.trimStart().length + 2}ch`;
				return (
					<span
						key={n}
						id={lineAnchor(n)}
						onPointerEnter={() => onPoint(n)}
						className={cn(
							"grid scroll-mt-20 grid-cols-[2.5rem_minmax(0,1fr)] border-l-3 pr-4 target:border-accent",
							on ? "border-accent bg-[color-mix(in_oklab,var(--accent)_12%,var(--sunken))]" : "border-transparent",
						)}
					>
						<span aria-hidden className={cn("tabular pr-3 text-right select-none", on ? "text-accent" : "text-ink-3")}>
							{n}
						</span>
						<code className="whitespace-pre-wrap [overflow-wrap:anywhere]" style={{ paddingLeft: hang, textIndent: `-${hang}` }}>
							{yamlTokens(line).map((token, index) => (
								// biome-ignore lint/suspicious/noArrayIndexKey: pieces of a line that never changes.
								<span key={index} className={LOOK[token.kind]}>
									{token.text}
								</span>
							))}
							{"\n"}
						</code>
					</span>
				);
			})}
		</pre>
	);
}
