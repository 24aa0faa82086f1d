// A refusal of one field, in the words of a Status's `details.causes[]`.

export interface FieldError {
  reason:
    | 'FieldValueRequired'
    | 'FieldValueInvalid'
    | 'FieldValueForbidden'
    | 'FieldValueDuplicate'
    | 'FieldValueNotSupported'
    | 'FieldValueNotFound'
    | 'FieldValueTooLong'
    | 'FieldValueTooMany'
    | 'FieldValueTypeInvalid'
    | 'InternalError';
  /** Path as the API server spells it, e.g. `spec.template.spec.containers[0].name`. */
  field: string;
  message: string;
}
