"use client";
import { AgreementDialog } from "./agreement-dialog.tsx";
import { AgreementsList } from "./agreements-list.tsx";
import { commitmentDraft, describeCommitment, readCommitment } from "./commitment-draft.ts";
import { CommitmentFields } from "./commitment-fields.tsx";
import { commitmentsCsv } from "./export-csv.ts";
import { useClouds } from "./fields.tsx";
import { useCommitments } from "./use-lists.ts";

/** What was bought ahead. */
export function CommitmentsPanel() {
	const clouds = useClouds();
	const { lines, changes } = useCommitments();
	return (
		<AgreementsList
			title="Reserved and committed"
			sub="bought ahead"
			add="Add a commitment"
			empty={{
				title: "Nothing is bought ahead",
				text: "Machines are launched on demand and on spot. What an account has reserved or committed to is added here.",
			}}
			lines={lines}
			tell={(line) => ({ facts: `${line.instances} × ${line.instanceType} on ${line.siteId}`, notes: describeCommitment(line) })}
			removal="New machines are launched at their own price. What is charged stays. It cannot go while machines stand on it."
			changes={changes}
			csv={{ fileName: "spillway-commitments.csv", text: commitmentsCsv }}
			form={(line, onClose) => (
				<AgreementDialog
					what="commitment"
					before={line?.id ?? null}
					effect="It counts from the next charge on; what is charged stays as it is."
					first={() => commitmentDraft(line, clouds[0]?.id ?? "")}
					read={(draft) => readCommitment(draft, line)}
					changes={changes}
					onClose={onClose}
					fields={(draft, set) => <CommitmentFields draft={draft} set={set} />}
				/>
			)}
		/>
	);
}
