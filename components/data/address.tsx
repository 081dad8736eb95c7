import { Td } from "#components/ui/table.tsx";

/** A cell with an address, which wraps anywhere. */
export function Address({ text, phone }: { text: string; phone: "a" | "c" | "d" }) {
	return (
		<Td phone={phone} className="font-mono text-xs whitespace-normal! wrap-anywhere">
			{text}
		</Td>
	);
}
