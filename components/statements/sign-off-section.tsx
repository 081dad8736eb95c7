import { Money } from "#components/money/money.tsx";
import { Drill } from "#components/spend/cells.tsx";
import { differenceDrill } from "#components/statements/drill.ts";
import { None, PaperTable, PTd, PTh, PTr, Remark, Section } from "#components/statements/paper.tsx";
import type { StatementView } from "#components/statements/use-statement.ts";
import { formatExact } from "#components/time/format-time.ts";
import { differenceWords } from "#server/domain/statement-words.ts";
import { LABELS } from "#server/domain/vocabulary.ts";

type Version = StatementView["versions"][number];

/** Differences from the previous version and the reason for the new one. */
export function CorrectionSection({ view: { shown, content } }: { view: StatementView }) {
	if (!shown || shown.correction === null) return null;
	return (
		<Section title={`Corrections since version ${shown.version - 1}`}>
			<p className="mt-1.5 text-xs text-pretty">{shown.correction}</p>
			<Differences version={shown} content={content} />
		</Section>
	);
}

function Differences({ version, content }: { version: Version; content: StatementView["content"] }) {
	if (version.differences.length === 0) return <Remark>Amounts are unchanged; notes or quantities differ.</Remark>;
	const amount = (value: string | null) => (value === null ? <None /> : <Money value={value} />);
	return (
		<PaperTable aria-label={`Differences of version ${version.version}`}>
			<thead>
				<tr>
					<PTh>Line</PTh>
					<PTh n>Before</PTh>
					<PTh n>Now</PTh>
					<PTh n>Difference</PTh>
				</tr>
			</thead>
			<tbody>
				{version.differences.map((d) => (
					<PTr key={`${d.section}/${d.key}`} strong={d.section === "total"}>
						<PTd>{differenceWords(d.section, d.key)}</PTd>
						<PTd n>{amount(d.beforeMicroUsd)}</PTd>
						<PTd n>{amount(d.afterMicroUsd)}</PTd>
						<PTd n>
							<Drill href={differenceDrill(content, d)} what={`${differenceWords(d.section, d.key)}, postings in between`}>
								<Money value={d.deltaMicroUsd} signed />
							</Drill>
						</PTd>
					</PTr>
				))}
			</tbody>
		</PaperTable>
	);
}

/** Closing, hash and signatures. */
export function SignOffSection({ view: { shown, content } }: { view: StatementView }) {
	return (
		<Section title="Sign-off">
			<div className="break-inside-avoid">
				<Remark>
					Charges from {formatExact(content.fromMs)} to {formatExact(content.toMs)} ({content.zone}), posted until{" "}
					{formatExact(content.postedUntilMs)}.
				</Remark>
				{shown ? (
					<>
						<p className="mt-2 font-mono text-2xs break-all">sha256 {shown.sha256}</p>
						{content.replaces && <p className="font-mono text-2xs break-all text-ink-3">replaces {content.replaces}</p>}
						<ul className="mt-6 grid grid-cols-1 gap-6 text-xs md:grid-cols-3 print:grid-cols-3">
							<Signed what="Closed" name={shown.closedBy} at={shown.closedAt} />
							{shown.signatures.map((s) => (
								<Signed
									key={s.accountId}
									what={`Signed, ${LABELS[s.role]}${s.closedItToo ? ", also closed the statement" : ""}`}
									name={s.name}
									at={s.signedAt}
								/>
							))}
							{shown.signatures.length === 0 && <Signed what="Signed" name="" at={null} />}
						</ul>
					</>
				) : (
					<Remark>A preview has no hash and cannot be signed.</Remark>
				)}
			</div>
		</Section>
	);
}

/** A signature line with the signer. */
function Signed({ what, name, at }: { what: string; name: string; at: Date | null }) {
	return (
		<li>
			<p className="min-h-5 text-ink-2">{at ? formatExact(at.getTime()) : ""}</p>
			<p className="border-t border-t-line-strong pt-1.5 font-semibold">{name || "Not signed"}</p>
			<p className="text-ink-3">{what}</p>
		</li>
	);
}
