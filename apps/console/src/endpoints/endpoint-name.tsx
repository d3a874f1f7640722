import { endpointNames } from './endpoint-names.ts';
import { hrefOf } from '../navigation/location.ts';
import { ShortId } from '../elements/short-id.tsx';

/** By its name where it has one. */
export function EndpointName({ endpointId, isLink = true }: { endpointId: string; isLink?: boolean }) {
  const name = endpointNames.value.get(endpointId);
  const text = name ?? <ShortId id={endpointId} />;
  return isLink ? <a href={hrefOf(`/endpoints/${endpointId}`)}>{text}</a> : <span title={endpointId}>{text}</span>;
}
