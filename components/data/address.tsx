import { Td } from "#components/ui/table.tsx";

/** A cell with an address, which wraps anywhere. */
export function Address({ text, phone }: { text: string; phone: "a" | "c" | "e" }) {
	return (
		<Td phone={phone} className="py-2 font-mono text-xs whitespace-normal! wrap-anywhere">
			{text}
		</Td>
	);
}
