"use client";
import { AgreementDialog } from "./agreement-dialog.tsx";
import { AgreementsList } from "./agreements-list.tsx";
import { commitmentDraft, describeCommitment, readCommitment } from "./commitment-draft.ts";
import { CommitmentFields } from "./commitment-fields.tsx";
import { commitmentsCsv } from "./export-csv.ts";
import { useClouds } from "./fields.tsx";
import { useCommitments } from "./use-lists.ts";

/** Reservations and committed use. */
export function CommitmentsPanel() {
	const clouds = useClouds();
	const { lines, changes } = useCommitments();
	return (
		<AgreementsList
			title="Reserved and committed"
			sub="prepaid capacity"
			add="Add commitment"
			empty={{
				title: "No commitments",
				text: "Add reserved or committed capacity to use it before on-demand and spot.",
			}}
			lines={lines}
			describeLine={(line) => ({ facts: `${line.instances} × ${line.instanceType} on ${line.siteId}`, notes: describeCommitment(line) })}
			removal="New machines launch at list price. Past charges stay. Remove its running machines first."
			changes={changes}
			csv={{ fileName: "spillway-commitments.csv", text: commitmentsCsv }}
			form={(line, onClose) => (
				<AgreementDialog
					what="commitment"
					before={line?.id ?? null}
					effect="Applies to future charges. Past charges stay."
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
